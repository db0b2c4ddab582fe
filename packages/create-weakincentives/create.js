#!/usr/bin/env node
// `npm create weakincentives [DIR] [options]` is `wink init [DIR] [options]`.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const manifest = require.resolve('weakincentives/package.json');
process.argv.splice(2, 0, 'init');
await import(pathToFileURL(join(dirname(manifest), require(manifest).bin.wink)).href);
