export type HandKind = 'mouse' | 'keyboard'

/** What a project of playwright.config.ts chooses. */
export interface StoryOptions {
  /** `packaged`: the app as it is installed, but for the fuse that Playwright needs. */
  shell: 'browser' | 'electron' | 'packaged'
  by: HandKind
}
