import assert from 'node:assert/strict';
import { build } from 'esbuild';

for (const platform of ['node', 'browser']) {
  const { metafile, warnings } = await build({
    entryPoints: ['program.js'],
    bundle: true,
    format: 'esm',
    platform,
    outfile: `out/${platform}.js`,
    metafile: true,
  });
  assert.deepEqual(warnings, []);
  // All that it imports is in it, and nothing of Node.
  const [output] = Object.values(metafile.outputs);
  assert.deepEqual(output.imports, []);
}
