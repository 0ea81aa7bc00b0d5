// A real panel with a tray, as a desktop would have it.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inflateSync } from 'node:zlib'
import { drawIcon, type Shape } from '../../src-main/electron/icon.ts'
import { connectBus, type Bus } from './bus.ts'
import { end, until, type Screen } from './screen.ts'

const CONFIG = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=8;x=640;y=780"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="32"/>
      <property name="icon-size" type="uint" value="22"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
    </property>
  </property>
</channel>
`

export interface Panel {
  /** What the tray shows: the shape that fits best what can be seen, and how much of it fits. */
  sees: () => Promise<{ shape: Shape; fits: number }>
  /** Presses a button of the mouse on the icon. */
  click: (button: 'left' | 'right') => Promise<void>
  /** The menu as the panel gets it: its labels, nested with `/`, and a way to choose one. */
  menu: () => Promise<{ labels: string[]; choose: (label: string | RegExp) => Promise<void> }>
  close: () => Promise<void>
}

const XFCONFD = [
  '/usr/lib/x86_64-linux-gnu/xfce4/xfconf/xfconfd',
  '/usr/lib/aarch64-linux-gnu/xfce4/xfconf/xfconfd',
  '/usr/libexec/xfce4/xfconf/xfconfd',
  '/usr/lib/xfce4/xfconf/xfconfd',
]

export async function startPanel(screen: Screen): Promise<Panel> {
  const config = mkdtempSync(path.join(tmpdir(), 'countersign-panel-'))
  const folder = path.join(config, 'xfce4', 'xfconf', 'xfce-perchannel-xml')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'xfce4-panel.xml'), CONFIG)
  const env = { ...process.env, ...screen.env, XDG_CONFIG_HOME: config }
  // The bus of the tests starts nobody, so the panel's memory is started by hand.
  const memory = spawn(XFCONFD.find(existsSync) ?? 'xfconfd', [], { env, stdio: 'ignore' })
  await until('the panel’s memory', async () =>
    (
      await screen.run(
        'gdbus',
        'call',
        '--session',
        '--dest',
        'org.freedesktop.DBus',
        '--object-path',
        '/org/freedesktop/DBus',
        '--method',
        'org.freedesktop.DBus.NameHasOwner',
        'org.xfce.Xfconf',
      )
    ).includes('true'),
  )
  const panel = spawn('xfce4-panel', ['--disable-wm-check'], { env, stdio: 'ignore' })
  await until('the panel', async () => (await screen.run('xdotool', 'search', '--class', 'xfce4-panel').catch(() => '')) !== '')
  const bus = await connectBus()
  return {
    sees: async () => recognise(await screen.look(0, 760, 48, 40)),
    click: async (button) => void (await screen.run('xdotool', 'mousemove', '17', '784', 'click', button === 'left' ? '1' : '3')),
    menu: () => readMenu(bus),
    close: async () => {
      bus.close()
      await end(panel)
      await end(memory)
      rmSync(config, { recursive: true, force: true })
    },
  }
}

const SHAPES: Shape[] = ['idle', 'dot', 'slash', 'bang']
const SIZE = 22

/** The shapes are dark on the tests' light panel. Each is laid over every place; what fits best is what is there. */
function recognise(seen: number[][]): { shape: Shape; fits: number } {
  const found = SHAPES.map((shape) => {
    const ink = alphaOf(shape)
    let fits = 0
    for (let top = 0; top + SIZE <= seen.length; top++) {
      for (let left = 0; left + SIZE <= (seen[0]?.length ?? 0); left++) {
        const right = ink.filter(({ x, y, isInk }) => (seen[top + y]?.[left + x] ?? 255) < 110 === isInk).length
        fits = Math.max(fits, right / ink.length)
      }
    }
    return { shape, fits }
  })
  return found.reduce((best, next) => (next.fits > best.fits ? next : best))
}

/** The pixels of a shape that are either all ink or none. */
function alphaOf(shape: Shape): { x: number; y: number; isInk: boolean }[] {
  const file = drawIcon(shape, SIZE, { colour: [0, 0, 0], edge: false })
  // Our own writer puts everything into one chunk, unfiltered, after a header of 33 bytes.
  const rows = inflateSync(file.subarray(41, 41 + file.readUInt32BE(33)))
  return Array.from({ length: SIZE * SIZE }, (_, at) => {
    const [x, y] = [at % SIZE, Math.floor(at / SIZE)]
    return { x, y, alpha: rows[y * (SIZE * 4 + 1) + 1 + x * 4 + 3] ?? 0 }
  })
    .filter(({ alpha }) => alpha === 0 || alpha === 255)
    .map(({ x, y, alpha }) => ({ x, y, isInk: alpha === 255 }))
}

type Node = [id: number, properties: [string, unknown][], children: Node[]]

async function readMenu(bus: Bus) {
  const [items] = await bus.call('org.kde.StatusNotifierWatcher', '/StatusNotifierWatcher', 'org.freedesktop.DBus.Properties.Get', 'ss', [
    'org.kde.StatusNotifierWatcher',
    'RegisteredStatusNotifierItems',
  ])
  const [owner = ''] = (items as string[])[0]?.split('/') ?? []
  const MENU = '/com/canonical/dbusmenu'
  const [, root] = await bus.call(owner, MENU, 'com.canonical.dbusmenu.GetLayout', 'iias', [0, -1, []])
  const entries: { label: string; id: number }[] = []
  const walk = ([id, properties, children]: Node, above: string) => {
    const label = properties.find(([name]) => name === 'label')?.[1]
    const full = typeof label === 'string' ? `${above}${label}` : above
    if (typeof label === 'string') entries.push({ label: full, id })
    for (const child of children) walk(child, typeof label === 'string' ? `${full}/` : '')
  }
  walk(root as Node, '')
  return {
    labels: entries.map(({ label }) => label),
    choose: async (wanted: string | RegExp) => {
      const entry = entries.find(({ label }) => (typeof wanted === 'string' ? label === wanted : wanted.test(label)))
      if (entry === undefined) throw new Error(`the menu has no ${String(wanted)}: ${entries.map(({ label }) => label).join(', ')}`)
      await bus.call(owner, MENU, 'com.canonical.dbusmenu.Event', 'isvu', [entry.id, 'clicked', { kind: 'i', value: 0 }, 0])
    },
  }
}
