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
