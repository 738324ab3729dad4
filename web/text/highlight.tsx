import bash from 'highlight.js/lib/languages/bash'
import diff from 'highlight.js/lib/languages/diff'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'
import { createElement, type ReactNode } from 'react'

const lowlight = createLowlight({ bash, diff, ini, json, python, typescript, xml, yaml })
lowlight.registerAlias({ typescript: ['javascript', 'js', 'jsx'], bash: ['console', 'shell'] })

/** The most that is coloured: more would hold up the page. */
const CHARS_MAX = 50_000

/** Undefined: in no language that is known here. */
export function highlighted(text: string, language: string): ReactNode {
  if (text.length > CHARS_MAX || !lowlight.registered(language)) return undefined
  return lowlight.highlight(language, text).children.map(nodeOf)
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number]

function nodeOf(node: Node, key: number): ReactNode {
  if (node.type === 'text') return node.value
  if (node.type !== 'element') return null
  const names = node.properties['className']
  return createElement(
    'span',
    { key, className: Array.isArray(names) ? names.join(' ') : undefined },
    node.children.map((child, index) => nodeOf(child as Node, index)),
  )
}
