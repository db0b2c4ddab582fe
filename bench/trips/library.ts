import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Core from 'weakincentives';
import type * as Mcp from 'weakincentives/mcp';
import type * as Node from 'weakincentives/node';
import type * as OpenAI from 'weakincentives/openai';
import type * as Testing from 'weakincentives/testing';
import type * as Suite from 'weakincentives/tools';

/** The entries of a library that was compiled file by file, so that coverage names the source files. */
export interface Library {
  readonly core: typeof Core;
  readonly mcp: typeof Mcp;
  readonly node: typeof Node;
  readonly openai: typeof OpenAI;
  readonly suite: typeof Suite;
  readonly testing: typeof Testing;
}

export async function loadLibrary(folder: string): Promise<Library> {
  // A checkout from before the entries were files of one folder has others.
  const load = async (entry: string, old: string): Promise<unknown> => {
    const file = join(folder, 'entries', `${entry}.js`);
    return import(pathToFileURL(existsSync(file) ? file : join(folder, old, 'index.js')).href);
  };
  return {
    // Each is the compiled form of the module that its type describes, or of another version of it.
    core: (await load('index', '')) as typeof Core,
    mcp: (await load('mcp', 'mcp')) as typeof Mcp,
    node: (await load('node', 'node')) as typeof Node,
    openai: (await load('openai', 'openai')) as typeof OpenAI,
    suite: (await load('tools', 'suite')) as typeof Suite,
    testing: (await load('testing', 'testing')) as typeof Testing,
  };
}
