import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import { build } from 'esbuild';

/** Bundles a program without a warning, and gives what the bundle imports. */
async function bundle(program, platform) {
  const { metafile, warnings } = await build({
    entryPoints: [`${program}.js`],
    bundle: true,
    format: 'esm',
    platform,
    outfile: `out/${program}.${platform}.js`,
    metafile: true,
  });
  assert.deepEqual(warnings, []);
  return Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
}

assert.deepEqual(await bundle('program', 'node'), []);
assert.deepEqual(await bundle('program', 'browser'), []);
const packagesOf = async (program) =>
  new Set((await bundle(program, 'node')).filter((path) => !isBuiltin(path)));
assert.deepEqual(
  await packagesOf('mcp'),
  new Set([
    '@modelcontextprotocol/node',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
  ]),
);
assert.deepEqual(await packagesOf('clients'), new Set(['@anthropic-ai/sdk', 'openai']));
