import { bytesText } from '../../base/words.ts'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../base/clock.ts'
import { readConfig } from '../../config/config.ts'
import { embedderChoice, MINILM_NAME, miniLmDirectory, miniLmSetting } from '../../recall/vector/embedders.ts'
import { findMiniLm } from '../../recall/vector/minilm-files.ts'
import { HUB, MINILM_SOURCE, modelBytes, pullModel } from '../../recall/vector/model-pull.ts'
import { STATIC_NAME } from '../../recall/vector/static-encoder.ts'
import { hasTransformers, INSTALL_COMMAND, TRANSFORMERS } from '../../recall/vector/transformers.ts'
import { CommandError, runCommand, UsageError, type Command, type CommandCall } from '../frame/command.ts'
import { oneLine } from '../../base/width.ts'
import { openedBy, testModel } from '../../runtime/home/model-shelf.ts'
import { foundModels } from '../../runtime/home/found-models.ts'
import { configCommand } from './config.ts'
import { embeddersView, modelsView, type EmbedderView } from '../../view/models.ts'
import { priceWords } from '../../view/words.ts'

export const modelsCommand: Command = {
  name: 'models',
  summary: 'the models that answer, and those that search by meaning',
  usage: '[list [--json] | pull [--from URL] [--force] | use DIR]',
  details: `Without a verb: the models that can answer here, by the keys and local servers that were found
(Ollama, LM Studio, llama.cpp), with context size and price; and one short call of the model in
use, as a test. 'mainstem config set model NAME' chooses another.

The verbs are about the models that search by meaning:

  list             the models, which one is used, and what is missing
  pull             fetches ${MINILM_NAME} (${bytesText(modelBytes(MINILM_SOURCE))}) into HOME/models. Resumes
                   an interrupted download; every file is verified by its checksum
  use DIR          uses the model in DIR: config.json, tokenizer.json, tokenizer_config.json and
                   onnx/model_quantized.onnx or onnx/model.onnx. Also: use ${STATIC_NAME}, minilm
                   or none

  --from URL       a mirror instead of ${HUB}; HF_ENDPOINT in the environment
                   does the same
  --force          downloads it again
  --json           the list as a JSON array

${STATIC_NAME} is bundled and needs nothing else. ${MINILM_NAME} understands meaning
better, takes about a hundred times as long, and needs a package:

  ${INSTALL_COMMAND}`,
  run: answering,
  verbs: {
    list: { takes: '', run: list },
    pull: { takes: '', run: pull },
    use: { takes: 'DIR', run: (call, [word = '']) => use(call, word) },
  },
}

/** Lists the models that can answer, and calls the one in use. */
async function answering(call: CommandCall): Promise<number> {
  const config = readConfig(call)
  const used = config.values.model ?? 'offline'
  const found = await foundModels(config)
  const models = modelsView(found, used, openedBy(config, systemClock))
  const test = await testModel(config, used)
  const lines = models.map((one) => {
    const cost = one.price && priceWords(one.price)
    const size = `${one.contextTokens.toLocaleString('en')} tokens`
    return `${one.used ? '→' : ' '} ${one.model}  ${[size, cost, one.from].filter(Boolean).join(', ')}`
  })
  const code = 'error' in test ? 1 : 0
  const outcome = 'error' in test ? test.error : `${used} answered in ${test.ms} ms: ${oneLine(test.answer)}`
  await call.print({ models, test }, () => [...lines, '', outcome])
  return code
}

function list(call: CommandCall): Promise<number> {
  const listed = embeddersView(readConfig(call).values.embedder, call.home)
  return call.print(listed, () => listed.flatMap(lines).join('\n'))
}

const NAME_WIDTH = 15
const STATE_WIDTH = 9

function lines({ embedder, used, state, bytes, place, needs }: EmbedderView): string[] {
  const name = embedder.includes(':') ? 'minilm:DIR' : embedder
  const size = bytes === 0 ? '' : ` (${bytesText(bytes)})`
  const what = place === null ? 'search by words only' : `${place}${size}`
  const head = `${used ? '→' : ' '} ${name.padEnd(NAME_WIDTH)}${state.padEnd(STATE_WIDTH)}${what}`
  const indent = ' '.repeat(2 + NAME_WIDTH + STATE_WIDTH)
  return [head, ...needs.map((need) => `${indent}needs ${need}`)]
}

async function pull(call: CommandCall): Promise<number> {
  const directory = miniLmDirectory(call.home)
  if (!('missing' in findMiniLm(directory)) && !call.isSet('force'))
    return call.say(`${MINILM_NAME} is already in ${directory}; --force downloads it again.`)
  const base = baseUrl(call.text('from') ?? (call.environment['HF_ENDPOINT'] || HUB))
  const progress = (done: number, all: number) =>
    call.err.progress(`${MINILM_NAME}: ${bytesText(done)} of ${bytesText(all)}`)
  try {
    await pullModel({ source: { ...MINILM_SOURCE, base }, directory, progress, pause: (ms) => pause(ms) })
  } finally {
    call.err.bottom('')
  }
  call.say(`${MINILM_NAME} is in ${directory}; every file is verified.`)
  if (!hasTransformers()) call.say(`It needs the package ${TRANSFORMERS}: ${INSTALL_COMMAND}`)
  return call.say(`'mainstem models use minilm' uses it.`)
}

function baseUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return text
  throw new UsageError(`${JSON.stringify(text)} is not a URL: --from https://…`)
}

async function use(call: CommandCall, word: string): Promise<number> {
  if (word === '') throw new UsageError('Usage: mainstem models use DIR')
  const isName = [STATIC_NAME, 'minilm', 'none'].includes(word)
  const setting = isName ? word : miniLmSetting(resolve(word))
  const choice = embedderChoice(setting, call.home)
  if (choice.kind === 'minilm') {
    requireModel(choice.directory, isName ? 'missing: mainstem models pull' : 'missing')
    if (!hasTransformers())
      void call.err.line(
        `Warning: it needs the package ${TRANSFORMERS}, which is not installed: ${INSTALL_COMMAND}`,
      )
  }
  return runCommand(configCommand, { ...call, words: ['set', 'embedder', setting], values: {} })
}

function requireModel(directory: string, how: string): void {
  const found = statSync(directory, { throwIfNoEntry: false })
  const near = `'mainstem help models' says what belongs there`
  if (found === undefined && how === 'missing')
    throw new CommandError(`there is no directory ${directory}; ${near}`)
  if (found !== undefined && !found.isDirectory())
    throw new CommandError(`${directory} is not a directory; ${near}`)
  const files = findMiniLm(directory)
  if ('missing' in files)
    throw new CommandError(
      `the model in ${directory} is not complete: ${files.missing.join(', ')} ${how}; ${near}`,
    )
}
