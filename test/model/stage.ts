import { audit } from '../../src/context/audit.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { Scene } from './scene.ts'

/** Plays a scene on a fresh log in memory with a main session, as one work of the log. */
export async function play(acts: (scene: Scene) => void): Promise<void> {
  await playOn(new MemoryDisk(), (scene) => {
    scene.root('main')
    acts(scene)
  })
}

/** Plays several scenes in turn, closing and reopening the log in between. */
export async function playOn(disk: MemoryDisk, ...scenes: ((scene: Scene) => void)[]): Promise<void> {
  let before: Scene | undefined
  for (const acts of scenes) {
    const log = openMemoryLog({ disk, projections: [audit, ...contextProjections] })
    before = await log.write((writing) => {
      const scene = before ?? new Scene(writing)
      scene.writing = writing
      acts(scene)
      return scene
    })
    await log.close()
  }
}
