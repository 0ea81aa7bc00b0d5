import { describe, expect, it } from 'vitest'
import { NOT_RUNNING } from '../../src-shared/texts.ts'
import { BadCursor, HostAbsent } from './backend.ts'
import { MODERN } from './revisions.ts'
import { ALL, connect, LEGACY, recorder } from './testing.ts'

const RESOURCE = { uri: 'countersign://secrets/dev%2Fa', name: 'dev/a', description: 'Secret dev/a' }
const LISTED = { ...RESOURCE, mimeType: 'application/json' }

const paged = recorder({
  listResources: (cursor) => {
    if (cursor === null) return Promise.resolve({ resources: [RESOURCE], next: 'page 2' })
    if (cursor === 'page 2') return Promise.resolve({ resources: [], next: null })
    return Promise.reject(new BadCursor('not ours'))
  },
})

describe('resources/list', () => {
  it.each(ALL)('comes in pages, and the last has no cursor, in %s', async (revision) => {
    const connection = connect(paged, {}, revision)
    expect(await connection.result('resources/list')).toMatchObject({ resources: [LISTED], nextCursor: 'page 2' })
    const last = await connection.result('resources/list', { cursor: 'page 2' })
    expect(last).toMatchObject({ resources: [] })
    expect(last).not.toHaveProperty('nextCursor')
  })

  it.each(['forged', '', 1, {}, false])('a cursor of %j is invalid', async (cursor) => {
    expect(await connect(paged).error('resources/list', { cursor })).toMatchObject({ code: -32602, message: 'Invalid params' })
  })

  it('without a host says what to do', async () => {
    const notOurBug = { code: -31000, message: 'Not available' }
    expect(await connect(null).error('resources/list')).toMatchObject({ ...notOurBug, data: NOT_RUNNING })
    const gone = recorder({ listResources: () => Promise.reject(new HostAbsent('Gone.')) })
    expect(await connect(gone).error('resources/list')).toMatchObject({ ...notOurBug, data: 'Gone.' })
  })
})

describe('resources/templates/list', () => {
  it.each(ALL)('has the three kinds in %s, host or no host', async (revision) => {
    const { resourceTemplates } = await connect(null, {}, revision).result('resources/templates/list')
    const titled = revision >= '2025-06-18'
    expect(resourceTemplates).toEqual(
      ['countersign://secrets/{name}', 'countersign://policies/{name}', 'countersign://audit/{seq}'].map((uriTemplate) => ({
        uriTemplate,
        name: expect.any(String),
        ...(titled ? { title: expect.any(String) } : {}),
        description: expect.any(String),
        mimeType: 'application/json',
      })),
    )
  })

  it('knows no cursor', async () => {
    expect(await connect(null).error('resources/templates/list', { cursor: 'x' })).toMatchObject({ code: -32602 })
  })
})

describe('resources/read', () => {
  const backend = recorder({ readResource: (uri) => Promise.resolve(uri === RESOURCE.uri ? { text: '{"name":"dev/a"}' } : null) })

  it.each(ALL)('returns JSON in %s', async (revision) => {
    const answer = await connect(backend, {}, revision).result('resources/read', { uri: RESOURCE.uri })
    expect(answer).toMatchObject({ contents: [{ uri: RESOURCE.uri, mimeType: 'application/json', text: '{"name":"dev/a"}' }] })
  })

  it.each(LEGACY)('of nothing is -32002 in %s', async (revision) => {
    const error = await connect(backend, {}, revision).error('resources/read', { uri: 'countersign://secrets/b' })
    expect(error).toEqual({ code: -32002, message: 'Resource not found', data: 'No such resource: countersign://secrets/b' })
  })

  it('of nothing is -32602 with the URI in 2026-07-28', async () => {
    const error = await connect(backend, {}, MODERN).error('resources/read', { uri: 'countersign://secrets/b' })
    expect(error).toEqual({ code: -32602, message: 'Resource not found', data: { uri: 'countersign://secrets/b' } })
  })

  it('of a URI longer than any is not found without asking', async () => {
    const never = recorder({ readResource: () => Promise.reject(new Error('asked')) })
    expect(await connect(never).error('resources/read', { uri: `countersign://secrets/${'a'.repeat(3000)}` })).toMatchObject({
      code: -32002,
    })
  })

  it.each([undefined, null, 1, {}])('of %j is invalid', async (uri) => {
    expect(await connect(backend).error('resources/read', { uri })).toMatchObject({ code: -32602, data: 'uri must be a string' })
  })
})

describe('completion/complete', () => {
  const asked: unknown[] = []
  const backend = recorder({
    complete: (what, prefix) => {
      asked.push([what, prefix])
      return Promise.resolve({ values: Array.from({ length: 150 }, (_, i) => `${prefix}${i}`), total: 400 })
    },
  })
  const complete = (ref: unknown, name: unknown, value: unknown): Promise<unknown> =>
    connect(backend).result('completion/complete', { ref, argument: { name, value } })

  it('suggests names of secrets and policies, at most 100, and says how many there are', async () => {
    asked.length = 0
    const answer = await complete({ type: 'ref/resource', uri: 'countersign://secrets/{name}' }, 'name', 'dev')
    expect(answer).toMatchObject({ completion: { total: 400, hasMore: true } })
    expect(answer).toHaveProperty('completion.values.length', 100)
    await complete({ type: 'ref/resource', uri: 'countersign://policies/{name}' }, 'name', '')
    await complete({ type: 'ref/tool', name: 'get_secret' }, 'name', 'a')
    await complete({ type: 'ref/tool', name: 'test_policy' }, 'secret_name', 'b')
    await complete({ type: 'ref/tool', name: 'test_policy' }, 'scope', 'c')
    expect(asked).toEqual([
      ['secret', 'dev'],
      ['policy', ''],
      ['secret', 'a'],
      ['secret', 'b'],
      ['policy', 'c'],
    ])
  })

  it('suggests nothing for anything else', async () => {
    asked.length = 0
    const nothing = { completion: { values: [], total: 0, hasMore: false } }
    expect(await complete({ type: 'ref/prompt', name: 'x' }, 'name', '')).toEqual(nothing)
    expect(await complete({ type: 'ref/resource', uri: 'countersign://audit/{seq}' }, 'seq', '')).toEqual(nothing)
    expect(await complete({ type: 'ref/resource', uri: 'countersign://secrets/{name}' }, 'other', '')).toEqual(nothing)
    expect(await complete({ type: 'ref/tool', name: 'x' }, 'constructor', '')).toEqual(nothing)
    expect(await complete({ type: 'ref/tool', name: 'x' }, 'name', 'a'.repeat(201))).toEqual(nothing)
    expect(asked).toEqual([])
  })

  it('suggests nothing without a host', async () => {
    const params = { ref: { type: 'ref/tool', name: 'get_secret' }, argument: { name: 'name', value: '' } }
    const gone = recorder({ complete: () => Promise.reject(new HostAbsent('Gone.')) })
    for (const host of [null, gone]) {
      expect(await connect(host).result('completion/complete', params)).toMatchObject({ completion: { values: [] } })
    }
  })

  it.each([
    [{}],
    [{ ref: 'x', argument: { name: 'name', value: '' } }],
    [{ ref: { type: 'ref/tool' }, argument: { name: 'name' } }],
    [{ ref: { type: 'ref/tool' }, argument: [] }],
  ])('%j is invalid', async (params) => {
    expect(await connect(backend).error('completion/complete', params)).toMatchObject({ code: -32602 })
  })
})
