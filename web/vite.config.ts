import { defineConfig } from 'vite'

/** Builds the page into build/page, from where the server serves it. Nothing is loaded from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../build/page',
    emptyOutDir: true,
    target: 'es2024',
    // A file of its own for everything: the server's policy allows no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Of libraries that also run on servers.
      onLog: (level, log, tell) => log.code === 'MODULE_LEVEL_DIRECTIVE' || tell(level, log),
    },
  },
})
