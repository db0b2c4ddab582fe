import { stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { createJiti } from 'jiti';
import { describeError } from '../error/index.ts';
import type { AnyAgent } from '../evaluation/index.ts';
import { BUILT_IN_AGENTS } from './built-in-agents.ts';
import { errorMessage } from './host-failure.ts';
import { printable } from './plain-text.ts';
import { ofAgent, type RunnableAgent } from './runnable-agent.ts';
import { UsageError } from './usage-error.ts';

const extensions: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs']);

/** An agent that was found. */
export interface LoadedAgent {
  readonly runnable: RunnableAgent;
  /** Absolute path of the folder that its module stands in; undefined for a built-in agent. */
  readonly folder: string | undefined;
}

/**
 * Finds the agent that a person named: a built-in one, or a module that exports one as `default` or as `agent`.
 * TypeScript is loaded without a build step. What the module imports from `weakincentives` is this running library, so that
 * tokens and classes are the same ones.
 *
 * @throws {UsageError} when there is no such agent, the module cannot be loaded, or it exports no agent.
 */
export async function loadAgent(name: string): Promise<LoadedAgent> {
  const builtIn = BUILT_IN_AGENTS.get(name);
  if (builtIn !== undefined) return { runnable: builtIn, folder: undefined };
  const shown = printable(name);
  if (!extensions.has(extname(name))) {
    throw new UsageError(
      `there is no agent "${shown}": name a file (.ts, .mts, .js, .mjs) or a built-in agent (${[...BUILT_IN_AGENTS.keys()].join(', ')}).`,
    );
  }
  const path = resolve(name);
  await checkFile(path, shown);
  const exported = await importModule(path, shown);
  return { runnable: ofAgent(pickAgent(exported, shown)), folder: dirname(path) };
}

async function checkFile(path: string, shown: string): Promise<void> {
  try {
    if ((await stat(path)).isFile()) return;
  } catch (error) {
    throw new UsageError(`the agent "${shown}" cannot be read: ${errorMessage(error)}.`, { cause: error });
  }
  throw new UsageError(`the agent "${shown}" is no file.`);
}

async function importModule(path: string, shown: string): Promise<unknown> {
  const jiti = createJiti(import.meta.url, {
    // Nothing is left behind on the disk, and nobody can put code into a shared folder for us to run.
    fsCache: false,
    interopDefault: false,
    virtualModules: await ownModules(),
  });
  try {
    return await jiti.import(path);
  } catch (error) {
    const folder = dirname(path);
    // The first line says it; further ones hold absolute paths. A parse error has its place on the second one.
    const [first = '', second = ''] = describeError(error)
      .split('\n')
      .map((line) => line.replaceAll(`${folder}/`, '').trim());
    const place = /^\S+:\d+:\d+$/.test(second) ? ` (${second})` : '';
    throw new UsageError(
      `the agent "${shown}" cannot be loaded: ${printable(first.replace(/\.$/, '') + place)}.`,
      {
        cause: error,
      },
    );
  }
}

/** The entries of this package, as they are running. */
async function ownModules(): Promise<Record<string, unknown>> {
  return {
    weakincentives: await import('../index.ts'),
    'weakincentives/ai-sdk': await import('../ai-sdk/index.ts'),
    'weakincentives/anthropic': await import('../anthropic/index.ts'),
    'weakincentives/node': await import('../node/index.ts'),
    'weakincentives/openai': await import('../openai/index.ts'),
    'weakincentives/testing': await import('../testing/index.ts'),
  };
}

function pickAgent(exported: unknown, shown: string): AnyAgent {
  const names = isRecord(exported) ? Object.keys(exported) : [];
  for (const name of ['default', 'agent']) {
    const value = isRecord(exported) ? exported[name] : undefined;
    if (isAgent(value)) return value;
  }
  const found = ['default', 'agent'].filter((name) => names.includes(name));
  const what =
    found.length > 0
      ? `what it exports as ${found.map((name) => `"${name}"`).join(' and ')} was not made by defineAgent()`
      : names.length === 0
        ? 'it exports nothing'
        : `it exports ${names
            .slice(0, 5)
            .map((name) => `"${printable(name)}"`)
            .join(', ')}`;
  throw new UsageError(
    `"${shown}" holds no agent: ${what}; export one made by defineAgent() as default or as "agent".`,
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** `defineAgent()` has checked everything else. */
function isAgent(value: unknown): value is AnyAgent {
  if (!isRecord(value) || value['kind'] !== 'agent' || typeof value['name'] !== 'string') return false;
  const { template } = value;
  return isRecord(template) && template['kind'] === 'prompt-template' && Object.isFrozen(value);
}
