import { type Key, parameters } from '../settings.ts'

/** The config.json of a new home: nothing in it is set, and what people set first stands there to be uncommented. */
export function defaultConfigText(): string {
  const shown = examples.map(([key, json]) => `\n  // ${parameters[key].help}\n  // "${key}": ${json},\n`)
  return `// The configuration of Mainstem. Comments and trailing commas are allowed.
// 'mainstem config list' names every parameter, its value and where that comes from;
// 'mainstem config set KEY VALUE' changes one in this file and keeps the comments.
{
  "$schema": "./${SCHEMA_NAME}",
${shown.join('')}}
`
}

/** Beside config.json, where editors find it on every machine and without a network. */
export const SCHEMA_NAME = 'config.schema.json'

const examples: readonly (readonly [Key, string])[] = [
  ['model', '"anthropic/claude-sonnet-5"'],
  ['fallbackModels', '["openai/gpt-6-luna", "ollama/qwen3"]'],
  ['thinking', '"adaptive"'],
  ['timezone', '"Europe/Berlin"'],
  ['costDayMax', '"$2.50"'],
]
