import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../test/cli/run.ts'
import { writeTinyModel } from '../../../test/stand-ins/onnx-model.ts'
import { embedderChoice, makeEmbedder, miniLmDirectory } from './embedders.ts'
import { findMiniLm } from './minilm-files.ts'
import { openMiniLm } from './minilm.ts'
import { piecesOf } from './minilm.ts'
import { importTransformers } from './transformers.ts'

const words = {
  cat: [1, 0, 0, 0],
  dog: [0.6, 0.8, 0, 0],
  port: [0, 0, 1, 0],
  '##s': [0, 0, 0, 0.5],
}

function tinyModel(modelPath?: string): string {
  const directory = join(tempFolder(), 'my models', 'tiny')
  writeTinyModel(directory, { words }, modelPath)
  return directory
}

function rounded(vector: Float32Array | undefined): number[] {
  return [...(vector ?? [])].map((value) => Math.round(value * 1_000) / 1_000)
}

describe('a model of ONNX, read and run by transformers.js', () => {
  test('gives the mean of its tokens, of unit length', async () => {
    const embedder = await openMiniLm(tinyModel())
    expect(embedder).toMatchObject({ dimensions: 4, alpha: 0.6 })
    const vectors = await embedder.embed(['Cat', 'dog cat', 'ports', '  ', 'zebra', 'cat cat cat'])
    expect(vectors.map(rounded)).toEqual([
      [1, 0, 0, 0],
      [0.894, 0.447, 0, 0],
      [0, 0, 0.894, 0.447],
      [0, 0, 0, 0],
      [0, 0, 0, 0],
      [1, 0, 0, 0],
    ])
  })

  test('gives a long text the mean of its pieces', async () => {
    const embedder = await openMiniLm(tinyModel())
    // 254 tokens each: two pieces about cats and one about ports, whatever surrounds it in a batch.
    const long = `${'cat '.repeat(508)}${'port '.repeat(254)}`
    const [, vector] = await embedder.embed(['dog', long, 'dog'])
    expect(rounded(vector)).toEqual([0.894, 0, 0.447, 0])
    const [huge] = await embedder.embed([`${'cat '.repeat(254 * 16)}${'port '.repeat(100_000)}`])
    expect(rounded(huge)).toEqual([1, 0, 0, 0])
  })

  test.each(['onnx/model.onnx', 'model_quantized.onnx', 'model.onnx'])('is found as %s', async (path) => {
    const [vector] = await (await openMiniLm(tinyModel(path))).embed(['port'])
    expect(rounded(vector)).toEqual([0, 0, 1, 0])
  })

  test('has an id that is of its bytes and not of its place', async () => {
    const [one, other] = [tinyModel(), tinyModel()]
    const ids = [await openMiniLm(one), await openMiniLm(other)].map(({ id }) => id)
    expect(ids[0]).toMatch(/^minilm-1-[0-9a-f]{16}$/)
    expect(ids[1]).toBe(ids[0])
    writeTinyModel(other, { words: { ...words, cat: [0, 1, 0, 0] } })
    expect((await openMiniLm(other)).id).not.toBe(ids[0])
  })

  test('that cannot be read says so, and is tried again', async () => {
    const directory = tinyModel()
    const model = join(directory, 'onnx/model_quantized.onnx')
    cpSync(model, `${model}.good`)
    writeFileSync(model, 'no model')
    const embedder = await openMiniLm(directory)
    await expect(embedder.embed(['cat'])).rejects.toThrow(
      /^could not load the model in .*tiny: .*Download it again: mainstem models pull --force$/s,
    )
    cpSync(`${model}.good`, model)
    expect(rounded((await embedder.embed(['cat']))[0])).toEqual([1, 0, 0, 0])
  })

  test('whose files do not belong together is refused', async () => {
    const directory = tinyModel()
    writeFileSync(join(directory, 'config.json'), '{"model_type":"bert","hidden_size":5}')
    await expect((await openMiniLm(directory)).embed(['cat'])).rejects.toThrow(
      "the model's vectors have 4 numbers, but its config.json says 5: its files do not belong together",
    )
    writeFileSync(join(directory, 'config.json'), '{}')
    await expect(openMiniLm(directory)).rejects.toThrow('has no "hidden_size"')
    writeFileSync(join(directory, 'config.json'), '{')
    await expect(openMiniLm(directory)).rejects.toThrow(
      /could not read .*config\.json: .*Download the model again/,
    )
  })
})

test('a model is read from its directory and from nowhere else', async () => {
  const directory = tinyModel()
  const env = { allowRemoteModels: true, useFSCache: true, useBrowserCache: true, useWasmCache: true }
  const asked: unknown[] = []
  const pipeline = (...how: unknown[]) => {
    asked.push(...how)
    return Promise.reject(new Error('enough'))
  }
  const embedder = await openMiniLm(directory, () => Promise.resolve({ env, pipeline } as never))
  await expect(embedder.embed(['cat'])).rejects.toThrow('enough')
  expect(env).toEqual({
    allowRemoteModels: false,
    allowLocalModels: true,
    useFSCache: false,
    useBrowserCache: false,
    useWasmCache: false,
    localModelPath: join(directory, '..'),
  })
  const options = { dtype: 'q8', subfolder: 'onnx', local_files_only: true, device: 'cpu' }
  expect(asked).toEqual(['feature-extraction', 'tiny', options])
})

test('a directory that lacks something is told what', async () => {
  const directory = tinyModel()
  rmSync(join(directory, 'tokenizer.json'))
  writeFileSync(join(directory, 'tokenizer_config.json'), '')
  await expect(openMiniLm(directory)).rejects.toThrow(
    `the model in ${directory} is incomplete: tokenizer.json, tokenizer_config.json are missing. Run 'mainstem models pull'`,
  )
  expect(findMiniLm(join(directory, 'nowhere'))).toEqual({
    missing: ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_quantized.onnx'],
  })
})

test('a package that is not installed is named, with the command that installs it', async () => {
  const embedder = await openMiniLm(tinyModel(), () => importTransformers('no-such-transformers'))
  await expect(embedder.embed(['cat'])).rejects.toThrow(
    /^the embedder 'minilm' needs the package no-such-transformers, which is not installed\. Run npm install -g @huggingface\/transformers, or switch/,
  )
})

test('a package that does not load is named with the reason', async () => {
  const folder = tempFolder()
  writeFileSync(join(folder, 'broken.mjs'), "throw new Error('no libvips')")
  await expect(importTransformers(join(folder, 'broken.mjs'))).rejects.toThrow(
    /could not load the package .*broken\.mjs: no libvips\. Reinstall it: npm install -g/,
  )
})

describe('the configured embedder', () => {
  test('is the built-in one, one from files, or none', async () => {
    const home = tempFolder()
    expect(await makeEmbedder('none', home)).toBeNull()
    expect(await makeEmbedder('static-en-128', home)).toMatchObject({ id: 'static-en-128-2' })
    await expect(makeEmbedder('minilm', home)).rejects.toThrow(
      `the model in ${miniLmDirectory(home)} is incomplete`,
    )
    mkdirSync(miniLmDirectory(home), { recursive: true })
    writeTinyModel(miniLmDirectory(home), { words })
    expect(await makeEmbedder('minilm', home)).toMatchObject({ dimensions: 4 })
    expect(await makeEmbedder(`minilm:${tinyModel()}`, home)).toMatchObject({ dimensions: 4 })
  })

  test('that nobody knows is refused', () =>
    expect(() => embedderChoice('word2vec', '/home')).toThrow(`unknown embedder "word2vec"`))
})

describe('pieces of a text', () => {
  test.each<[string, string[]]>([
    ['', []],
    [' \n ', []],
    [' abc ', ['abc']],
    ['aaaa bbbb cccc', ['aaaa bbbb', 'cccc']],
    ['aaaa\nbbbb  cc dd e', ['aaaa\nbbbb', 'cc dd e']],
    ['aaaaaaaaaaaaaaaaaaaa bb', ['aaaaaaaaaaaaaaaaaaaa', 'bb']],
  ])('%j is %j', (text, pieces) => expect(cut(text)).toEqual(pieces))

  test('are at most so many', () =>
    expect(cut('aaaa bbbb '.repeat(100), 3)).toEqual(Array(3).fill('aaaa bbbb')))
})

function cut(text: string, piecesMax = 9): readonly string[] {
  return piecesOf(text, halfLength, { tokensMax: 4, piecesMax })
}

function halfLength(text: string): number {
  return Math.ceil(text.length / 2)
}
