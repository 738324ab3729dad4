import { bytesText } from '../../base/words.ts'
import { systemClock } from '../../base/clock.ts'
import { readConfig } from '../../config/config.ts'
import { embedder } from '../../config/type/domain-type.ts'
import { providerAccess } from '../../config/provider-access.ts'
import { isPrivateHost } from '../../base/address.ts'
import { shownUrl } from '../../model/contract/fault.ts'
import { embedderChoice, makeEmbedder } from '../../recall/vector/embedders.ts'
import { STATIC_NAME } from '../../recall/vector/static-encoder.ts'
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
  usage: '[list [--json] | use EMBEDDER]',
  details: `Without a verb: the models that can answer here, by the keys and local servers that were found
(Ollama, LM Studio, llama.cpp), with context size and price; and one short call of the model in
use, as a test. 'mainstem config set model NAME' chooses another.

The verbs are about the models that search by meaning:

  list             the models, which one is used, and what is missing
  use EMBEDDER     uses another: ${STATIC_NAME}, none, or PROVIDER/MODEL, such as ollama/all-minilm
                   or openai/text-embedding-3-small. It is called once, as a test

  --json           the list as a JSON array

${STATIC_NAME} is bundled, and nothing leaves this machine. A model of a provider or a server
understands more languages, and everything that was and will be said is sent there; what that
costs is not counted.`,
  run: answering,
  verbs: {
    list: { takes: '', run: list },
    use: { takes: 'EMBEDDER', run: (call, [word = '']) => use(call, word) },
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
  const listed = embeddersView(readConfig(call))
  const width = Math.max(...listed.map(({ embedder }) => embedder.length))
  return call.print(listed, () => listed.flatMap((one) => lines(one, width)).join('\n'))
}

const STATE_WIDTH = 9

function lines({ embedder, used, state, bytes, place, needs }: EmbedderView, width: number): string[] {
  const size = bytes === 0 ? '' : ` (${bytesText(bytes)})`
  const what = embedder === 'none' ? 'search by words only' : `${place ?? ''}${size}`
  const head = `${used ? '→' : ' '} ${embedder.padEnd(width + 2)}${state.padEnd(STATE_WIDTH)}`
  const [first = what, ...rest] = needs
  return [head + first, ...rest.map((need) => ' '.repeat(head.length) + need)]
}

async function use(call: CommandCall, word: string): Promise<number> {
  if (word === '') throw new UsageError('Usage: mainstem models use EMBEDDER')
  if (!embedder.schema.safeParse(word).success)
    throw new CommandError(`${JSON.stringify(word)} is no embedder. You can use ${embedder.allowed}.`)
  const options = providerAccess(readConfig(call))
  // One vector shows that it is there, before anything is changed.
  await makeEmbedder(word, options)
  const choice = embedderChoice(word, options)
  if (choice.kind === 'hosted' && !isPrivateHost(new URL(choice.url).hostname))
    void call.err.line(
      `Everything that was and will be said here is sent to ${shownUrl(choice.url)}, to be compared, and what that costs is not counted.`,
    )
  return runCommand(configCommand, { ...call, words: ['set', 'embedder', word], values: {} })
}
