import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')

test('compose publishes the port on this machine only, keeps the home, and starts again', () => {
  const { services, volumes } = parse(read('compose.yaml')) as Record<string, Record<string, unknown>>
  expect(services?.['mainstem']).toMatchObject({
    build: { dockerfile: 'Containerfile' },
    restart: 'unless-stopped',
    ports: ['127.0.0.1:7420:7420'],
    volumes: ['home:/home/node/.mainstem'],
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  })
  expect(volumes).toHaveProperty('home')
})

test('the container runs serve as a user without rights, in the volume, and is asked whether it is well', () => {
  const image =
    read('Containerfile')
      .split(/^FROM /m)
      .at(-1) ?? ''
  const linesOf = (word: string) => image.split('\n').filter((line) => line.startsWith(`${word} `))
  expect(linesOf('USER')).toEqual(['USER node'])
  expect(linesOf('VOLUME')).toEqual(['VOLUME /home/node/.mainstem'])
  expect(linesOf('ENV')[0]).toMatch(/MAINSTEM_HOME=\/home\/node\/\.mainstem MAINSTEM_HOST=0\.0\.0\.0$/)
  expect(linesOf('CMD')).toEqual(['CMD ["mainstem", "serve"]'])
  // What is copied into it is not in the reach of that user to change.
  expect(image.indexOf('COPY')).toBeLessThan(image.indexOf('USER'))
  const [, check = ''] = /HEALTHCHECK [^[]*(\[.*\])$/m.exec(image) ?? []
  const [program, , script] = JSON.parse(check) as string[]
  expect(program).toBe('node')
  expect(script).toContain('http://127.0.0.1:7420/healthz')
})
