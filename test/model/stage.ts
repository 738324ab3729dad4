import { audit } from '../../src/context/audit.ts'
import { contextProjections } from '../../src/context/fold.ts'
import { MemoryDisk, openMemoryLog } from '../../src/log/memory.ts'
import { Scene } from './scene.ts'

/** Plays a scene on a fresh log in memory that has a main session; what is played is one work of the log. */
export async function play(acts: (scene: Scene) => void): Promise<void> {
  await playOn(new MemoryDisk(), (scene) => {
    scene.root('main')
    acts(scene)
  })
}

/** Plays several scenes one after the other, the log closed and opened again between them. */
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
