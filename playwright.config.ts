// The stories: each is written once, and told in a real browser before the headless host, by mouse and by keyboard alone, and in a
// real Electron on a display of its own. They drive the built programs, so they need `npm run build` first, and a keyring.
// Whoever waits for the tests gets every story once: by keyboard, or in Electron and by mouse where it is about windows.
// STORIES=mouse tells the others by mouse as well, STORIES=packaged all of them in the packaged app, which scripts/packaged.ts makes first.

import { defineConfig, type PlaywrightTestConfig } from '@playwright/test'
import type { StoryOptions } from './e2e/stories/support/options.ts'

/** Stories in which nothing is pressed, or which choose the keys and clicks themselves: by keyboard they would be the same again. */
const WITHOUT_HANDS = [
  'no-allow-for-what-is-out-of-sight',
  'nothing-but-a-meant-answer-allows',
  'a-hostile-name-stays-a-name',
  'a-question-nobody-answers-expires',
  'every-screen-is-accessible',
  'the-log-is-searched-by-keys-alone',
].map((name) => `**/${name}.spec.ts`)

/** Stories about the windows themselves. The others are the same page in another frame; the packaged app tells all of them. */
const ABOUT_WINDOWS = [
  'nothing-but-a-meant-answer-allows',
  'no-value-is-shown-before-it-is-asked-for',
  'a-store-is-asked-and-approved',
  'a-client-on-this-computer-is-connected',
  'a-first-run-leads-to-the-first-answer',
  'the-first-run-makes-a-sealed-vault',
  'every-screen-is-accessible',
].map((name) => `**/${name}.spec.ts`)

/** In the app each question comes in a window of its own, which e2e/electron tries. */
const ABOUT_THE_PAGE = ['**/no-allow-for-what-is-out-of-sight.spec.ts']

/** By STORIES. */
const PROJECTS: Record<string, PlaywrightTestConfig<object, StoryOptions>['projects']> = {
  all: [
    { name: 'browser', use: { shell: 'browser', by: 'mouse' }, testMatch: WITHOUT_HANDS },
    { name: 'keyboard', use: { shell: 'browser', by: 'keyboard' }, testIgnore: WITHOUT_HANDS },
    { name: 'electron', use: { shell: 'electron', by: 'mouse' }, testMatch: ABOUT_WINDOWS },
  ],
  mouse: [{ name: 'mouse', use: { shell: 'browser', by: 'mouse' }, testIgnore: WITHOUT_HANDS }],
  packaged: [{ name: 'packaged', use: { shell: 'packaged', by: 'mouse' }, testIgnore: ABOUT_THE_PAGE }],
}

export default defineConfig<object, StoryOptions>({
  testDir: 'e2e/stories',
  outputDir: '.scratch/stories',
  fullyParallel: true,
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  forbidOnly: true,
  projects: PROJECTS[process.env['STORIES'] ?? 'all'] ?? [],
})
