export type HandKind = 'mouse' | 'keyboard'

/** What a project of playwright.config.ts chooses. */
export interface StoryOptions {
  shell: 'browser' | 'electron'
  by: HandKind
}
