import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A sentence encoder small enough to write by hand: each word has a vector, and the model looks it up. It has the files
 * of a real one, so whatever loads a real one loads it.
 */
export interface TinyModel {
  /** Their vectors, all of one length. */
  readonly words: Readonly<Record<string, readonly number[]>>
}

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']

export function writeTinyModel(
  directory: string,
  { words }: TinyModel,
  modelPath = 'onnx/model_quantized.onnx',
): void {
  const dimensions = Object.values(words)[0]?.length ?? 0
  const vocabulary = [...SPECIAL, ...Object.keys(words)]
  const table = vocabulary.flatMap((word) => words[word] ?? Array.from({ length: dimensions }, () => 0))
  mkdirSync(join(directory, modelPath, '..'), { recursive: true })
  writeFileSync(join(directory, modelPath), onnxModel(table, dimensions))
  const json = (name: string, value: unknown) => writeFileSync(join(directory, name), JSON.stringify(value))
  json('config.json', { model_type: 'bert', architectures: ['BertModel'], hidden_size: dimensions })
  json('tokenizer.json', tokenizer(vocabulary))
  json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 512,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: '[MASK]',
  })
}

function tokenizer(vocabulary: readonly string[]): unknown {
  const [cls, sep] = ['[CLS]', '[SEP]']
  const special = (id: string) => [id, { id, ids: [vocabulary.indexOf(id)], tokens: [id] }]
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: SPECIAL.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [token(cls), { Sequence: { id: 'A', type_id: 0 } }, token(sep)],
      pair: [
        token(cls),
        { Sequence: { id: 'A', type_id: 0 } },
        token(sep),
        { Sequence: { id: 'B', type_id: 1 } },
        token(sep),
      ],
      special_tokens: Object.fromEntries([special(cls), special(sep)]),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  }
}

function token(id: string): unknown {
  return { SpecialToken: { id, type_id: 0 } }
}

const [FLOAT, INT64] = [1, 7]

/** `last_hidden_state = table[input_ids]`, in the bytes of onnx.proto's ModelProto. */
function onnxModel(table: readonly number[], dimensions: number): Uint8Array {
  const rows = table.length / dimensions
  const initializer = message([
    [1, rows],
    [1, dimensions],
    [2, FLOAT],
    [8, 'table'],
    [9, new Uint8Array(Float32Array.from(table).buffer)],
  ])
  const node = message([
    [1, 'table'],
    [1, 'input_ids'],
    [2, 'last_hidden_state'],
    [3, 'look_up'],
    [4, 'Gather'],
  ])
  const graph = message([
    [1, node],
    [2, 'tiny'],
    [5, initializer],
    ...['input_ids', 'attention_mask', 'token_type_ids'].map((name): Field => [
      11,
      value(name, INT64, ['batch', 'length']),
    ]),
    [12, value('last_hidden_state', FLOAT, ['batch', 'length', dimensions])],
  ])
  const [irVersion, opset] = [8, 13]
  return message([
    [1, irVersion],
    [2, 'test'],
    [7, graph],
    [
      8,
      message([
        [1, ''],
        [2, opset],
      ]),
    ],
  ])
}

function value(name: string, type: number, dimensions: readonly (string | number)[]): Uint8Array {
  const shape = message(
    dimensions.map((size): Field => [1, message([typeof size === 'number' ? [1, size] : [2, size]])]),
  )
  const tensor = message([
    [1, type],
    [2, shape],
  ])
  return message([
    [1, name],
    [2, message([[1, tensor]])],
  ])
}

type Field = readonly [number: number, value: number | string | Uint8Array]

/** Protocol Buffers: numbers as varints, everything else as bytes with their length. */
function message(fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number << 3), varint(value)]
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
    return [varint((number << 3) | 2), varint(bytes.length), bytes]
  })
  return Buffer.concat(parts)
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}
