import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Untrusted } from './untrusted.tsx'

test('markup in a name is text, not elements', () => {
  const html = renderToStaticMarkup(<Untrusted text={'<img src=x onerror=alert(1)>\u202e'} />)
  expect(html).toMatch(/^<bdi[^>]*>&lt;img src=x onerror=alert\(1\)&gt;⟨U\+202E⟩<\/bdi>$/)
})

test('a name of ten thousand characters is one short line with a way to see more', () => {
  const html = renderToStaticMarkup(<Untrusted text={'x'.repeat(10_000)} />)
  expect(html).toContain(`${'x'.repeat(49)}…`)
  expect(html).toContain('aria-expanded="false"')
  expect(html.length).toBeLessThan(300)
})

test('a name that mixes scripts, or looks like a known one, is marked with words behind it', () => {
  expect(renderToStaticMarkup(<Untrusted text="Cursоr" />)).toContain('! mixes Latin and Cyrillic letters')
  expect(renderToStaticMarkup(<Untrusted text="CIaude 1.2" known={['Claude']} quoted />)).toContain('! looks like the name of another')
  expect(renderToStaticMarkup(<Untrusted text="Claude" known={['Claude']} />)).not.toContain('!')
})
