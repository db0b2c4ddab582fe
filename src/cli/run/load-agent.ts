import { stat } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import { createJiti } from 'jiti';
import { describeError } from '../../error/index.ts';
import type { AnyAgent } from '../../evaluation/index.ts';
import type { Filesystem } from '../../filesystem/index.ts';
import type { HostMountSkip } from '../../node/index.ts';
import type { Session } from '../../session/index.ts';
import { errorMessage, UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

const extensions: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs']);

/** The folder that a run works on, as a hook sees it. */
export interface HookFolder {
  readonly filesystem: Filesystem;
  /** What of it is no ordinary file that can be read. Looks at the whole folder. */
  readonly listSkipped: () => readonly HostMountSkip[];
}

/** What a hook makes of the state that a run left. */
export interface HookConclusion {
  /** Why the run is a failure although the model ended it; undefined when it is none. */
  readonly failure?: string | undefined;
  /** What came out, for the last line of the report. */
  readonly summary?: string;
  /** What of the folder the agent did not take, one line each. */
  readonly notes?: readonly string[];
}

/** What a module may export as `winkHooks` beside its agent: called around a run. */
export interface AgentHooks {
  /** The heading of the report. May throw: the run does not start. */
  readonly title?: (workspaceName: string) => string;
  /** Puts into the session what has to be known before the first turn. Called when the agent works on a folder. May throw: the run has failed. */
  readonly prepare?: (session: Session, folder: HookFolder) => void | Promise<void>;
  /** Called when the run has ended, however it did. With it the answer of the model is not printed. May throw: the run has failed. */
  readonly conclude?: (session: Session, answer: string) => HookConclusion;
}

/** An agent that was found. */
export interface LoadedAgent {
  readonly agent: AnyAgent;
  readonly hooks: AgentHooks;
  /** Absolute path of the folder that its module is in. */
  readonly folder: string;
}

/**
 * Finds the agent that a person named: a module that exports one as `default` or as `agent`, and hooks of a run, if it has any.
 * TypeScript is loaded without a build step. What the module imports from `weakincentives` is this running library, so that
 * tokens and classes are the same ones.
 *
 * @throws {UsageError} when there is no such agent, the module cannot be loaded, or it exports no agent.
 */
export async function loadAgent(name: string): Promise<LoadedAgent> {
  const shown = printable(name);
  if (!extensions.has(extname(name))) {
    throw new UsageError(
      `there is no agent "${shown}": name a file (.ts, .mts, .js, .mjs) that exports one.`,
    );
  }
  const path = resolve(name);
  await checkFile(path, shown);
  const exported = await importModule(path, shown);
  return { agent: pickAgent(exported, shown), hooks: pickHooks(exported, shown), folder: dirname(path) };
}

/** For a hook that threw. */
export function hookError(hook: keyof AgentHooks, agentName: string, error: unknown): UsageError {
  const what = `the hook "${hook}" of ${printable(agentName)} failed`;
  return new UsageError(`${what}: ${printable(describeError(error).replace(/\.$/, ''))}.`, { cause: error });
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
    weakincentives: await import('../../index.ts'),
    'weakincentives/ai-sdk': await import('../../ai-sdk/index.ts'),
    'weakincentives/anthropic': await import('../../anthropic/index.ts'),
    'weakincentives/node': await import('../../node/index.ts'),
    'weakincentives/openai': await import('../../openai/index.ts'),
    'weakincentives/provider': await import('../../provider/index.ts'),
    'weakincentives/suite': await import('../../suite/index.ts'),
    'weakincentives/testing': await import('../../testing/index.ts'),
  };
}

function pickAgent(exported: unknown, shown: string): AnyAgent {
  const names = isObjectOrFunction(exported) ? Object.keys(exported) : [];
  for (const name of ['default', 'agent']) {
    const value = isObjectOrFunction(exported) ? exported[name] : undefined;
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

function pickHooks(exported: unknown, shown: string): AgentHooks {
  const hooks = isObjectOrFunction(exported) ? exported['winkHooks'] : undefined;
  if (hooks === undefined) return {};
  if (!areHooks(hooks)) {
    throw new UsageError(
      `what "${shown}" exports as "winkHooks" must be an object; its title, prepare and conclude must be functions.`,
    );
  }
  return hooks;
}

/** What the functions return is their module's to keep. */
function areHooks(value: unknown): value is AgentHooks {
  const isHook = (hook: unknown): boolean => hook === undefined || typeof hook === 'function';
  return isObjectOrFunction(value) && ['title', 'prepare', 'conclude'].every((name) => isHook(value[name]));
}

function isObjectOrFunction(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** `defineAgent()` has checked everything else. */
function isAgent(value: unknown): value is AnyAgent {
  if (!isObjectOrFunction(value) || value['kind'] !== 'agent' || typeof value['name'] !== 'string')
    return false;
  const { template } = value;
  return isObjectOrFunction(template) && template['kind'] === 'prompt-template' && Object.isFrozen(value);
}
