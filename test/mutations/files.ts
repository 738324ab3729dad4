import type { Section } from './mutation.ts'

export const files: Section = {
  section: 'Files',
  promises: {
    'Path traversal': [
      {
        guard: '.. and ~ lead nowhere',
        file: 'src/tool/files/path.ts',
        find: `if (first === '..' || first === '~')`,
        replace: 'if (false)',
        test: 'src/tool/files/workspace.test.ts',
        title: 'is refused, for reading and for writing',
      },
      {
        guard: 'a full path must be in the workspace',
        file: 'src/tool/files/path.ts',
        find: 'if (inside === undefined) throw new PathError(`${quoted(path)} lies',
        replace: 'if (false) throw new PathError(`${quoted(path)} lies',
        test: 'src/tool/files/workspace.test.ts',
        title: 'is refused, for reading and for writing',
      },
      {
        guard: 'hidden names do not exist',
        file: 'src/tool/files/path.ts',
        find: 'if (hidden !== undefined)',
        replace: 'if (false)',
        test: 'src/tool/files/workspace.test.ts',
        title: 'is refused, for reading and for writing',
      },
      {
        guard: 'odd characters are refused',
        file: 'src/tool/files/path.ts',
        find: 'if (!isPlain(path))',
        replace: 'if (false)',
        test: 'src/tool/files/workspace.test.ts',
        title: 'is refused, for reading and for writing',
      },
      {
        guard: 'only Markdown files are read and written',
        file: 'src/tool/files/path.ts',
        find: 'if (!isMarkdown(place)) throw',
        replace: 'if (false) throw',
        test: 'src/tool/files/workspace.test.ts',
        title: 'is refused, for reading and for writing',
      },
      {
        guard: 'paths that a program gets stay within the roots',
        file: 'src/skill/executor/plan.ts',
        find: "if ('problem' in inside) return { problem: `parameter ${param}",
        replace: 'if (false) return { problem: `parameter ${param}',
        test: 'src/skill/executor/load-tools.test.ts',
        title: 'may not lead out of it',
      },
      {
        guard: 'the folder of a program stays within the roots',
        file: 'src/skill/executor/plan.ts',
        find: "if ('problem' in chosen) return { problem: `working directory: ${chosen.problem}` }",
        replace: '',
        test: 'src/skill/executor/load-tools.test.ts',
        title: 'may not lead out of it',
      },
      {
        guard: 'the home stays closed, though a folder above it is open',
        file: 'src/skill/executor/root-path.ts',
        find: 'if (isElsewhere && !isClosed)',
        replace: 'if (isElsewhere)',
        test: 'src/skill/executor/root-path.test.ts',
        title: 'what holds the log and the keys stays closed',
      },
    ],
    'Symbolic link': [
      {
        guard: 'a link that leads out of the workspace is refused',
        file: 'src/tool/files/workspace.ts',
        find: `    if (!isInside(way))
`,
        replace: `    if (false)
`,
        test: 'src/tool/files/workspace.test.ts',
      },
      {
        guard: 'a link to what does not exist yet is followed too',
        file: 'src/base/real-path.ts',
        find: 'if (target === undefined) return here',
        replace: 'return here',
        test: 'src/tool/files/workspace.test.ts',
      },
      {
        guard: 'a folder that became a link is not gone through',
        file: 'src/tool/files/folder.ts',
        find: 'const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW',
        replace: 'const flags = O_RDONLY | O_DIRECTORY',
        test: 'src/tool/files/workspace.test.ts',
        title: '[SAFE3] a folder that became a link',
      },
      {
        guard: 'a file that became a link is not read through',
        file: 'src/tool/files/file.ts',
        find: 'if (found.isSymbolicLink()) throw moved(place)',
        replace: '',
        test: 'src/tool/files/workspace.test.ts',
        title: '[SAFE3] a file that became a link',
      },
    ],
    'Symlink race': [
      {
        guard: 'each folder is opened below the one before, without following links',
        file: 'src/tool/files/folder.ts',
        find: 'const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW',
        replace: 'const flags = O_RDONLY | O_DIRECTORY',
        test: 'src/tool/files/race.test.ts',
        title: '[SAFE3] nothing outside is read, listed or changed',
      },
      {
        guard: 'the file itself is opened without following links',
        file: 'src/tool/files/file.ts',
        find: 'O_RDONLY | O_NOFOLLOW | O_NONBLOCK',
        replace: 'O_RDONLY | O_NONBLOCK',
        test: 'src/tool/files/race.test.ts',
        title: '[SAFE3] nothing outside is read, listed or changed',
      },
      {
        guard: 'a file of a skill is opened below its folder',
        file: 'src/skill/read-skill.ts',
        find: `readText(folder.at(basename(real)), 'refuse')`,
        replace: 'readText(`${directory}/${path}`)',
        test: 'src/skill/read-skill.test.ts',
        title: '[SAFE3] gives nothing from outside',
      },
      {
        guard: 'links to files of a skill are not followed at the end',
        file: 'src/skill/read-text.ts',
        find: `(links === 'refuse' ? O_NOFOLLOW : 0)`,
        replace: '0',
        test: 'src/skill/read-skill.test.ts',
        title: '[SAFE3] gives nothing from outside',
      },
    ],
    ReDoS: [
      {
        guard: 'the thread that searches is ended in time',
        file: 'src/tool/files/grep-tool.ts',
        find: 'const TIMEOUT_MS = 2_000',
        replace: 'const TIMEOUT_MS = 2_000_000',
        test: 'src/tool/files/file-tools.test.ts',
        title: '[TOOL2] an expression that would take for ever',
      },
      {
        guard: 'globs have a limited number of alternatives',
        file: 'src/tool/files/glob.ts',
        find: 'if (open.length + done.length > ALTERNATIVES_MAX) return undefined',
        replace: '',
        test: 'src/tool/files/file-tools.test.ts',
        title: 'more than 500 are cut, and hostile patterns take no time',
      },
      {
        guard: 'only the last star takes more',
        file: 'src/tool/star-fits.ts',
        find: `      at = lastStar + 1
      place = ++resume
`,
        replace: `      const [from, to] = [lastStar + 1, ++resume]
      for (let start = to; start <= found.length; start++)
        if (starFits(wanted.slice(from), found.slice(start), { star, fits })) return true
      return false
`,
        test: 'src/permission/pattern.test.ts',
        title: 'takes no longer for stars that could fit in many ways',
      },
    ],
    'A hostile SKILL.md': [
      {
        guard: 'long front matter is not read',
        file: 'src/base/front-matter.ts',
        find: 'if (matter.length > MATTER_CHARS_MAX)',
        replace: 'if (false)',
        test: 'src/base/front-matter.test.ts',
        title: 'that would fill the memory',
      },
      {
        guard: 'aliases are bounded',
        file: 'src/base/front-matter.ts',
        find: 'value.toJS(document) as Value',
        replace: 'value.toJS(document, { maxAliasCount: -1 }) as Value',
        test: 'src/base/front-matter.test.ts',
        title: 'that would fill the memory',
      },
      {
        guard: 'what is nested too deeply is a problem, and no error',
        file: 'src/base/front-matter.ts',
        find: `    return { line: 2, because: messageOf(cause) }
`,
        replace: `    throw cause
`,
        test: 'src/base/front-matter.test.ts',
        title: 'that would fill the memory',
      },
      {
        guard: 'at most 256 KiB are read',
        file: 'src/skill/read-text.ts',
        find: 'if (bytes.length > BYTES_MAX) return',
        replace: 'if (false) return',
        test: 'src/skill/refusals.test.ts',
        title: 'when SKILL.md is larger than 256 KiB',
      },
      {
        guard: 'what is no file is not read',
        file: 'src/skill/read-text.ts',
        find: `if (!fstatSync(descriptor).isFile()) return { problem: 'is no file' }`,
        replace: '',
        test: 'src/skill/refusals.test.ts',
        title: 'when SKILL.md is a link to nothing or to itself',
      },
    ],
  },
}
