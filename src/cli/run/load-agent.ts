import { describeError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import type { Filesystem } from '../../core/filesystem/index.ts';
import type { Session } from '../../core/session/index.ts';
import type { FolderSkip } from '../../host/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { loadModule } from './load-module.ts';

/** The folder of a run, as a hook sees it. */
export interface HookFolder {
  readonly filesystem: Filesystem;
  /** Paths that are not regular readable files. Scans the whole folder. */
  readonly listSkipped: () => readonly FolderSkip[];
}

/** The conclusion of a hook from the state after a run. */
export interface HookConclusion {
  /** Why the run is a failure although the model completed it; undefined when it is not. */
  readonly failure?: string | undefined;
  /** The result, for the last line of the report. */
  readonly summary?: string;
  /** Paths of the folder that the agent skipped, one line each. */
  readonly notes?: readonly string[];
}

/** What a module may export as `winkHooks` beside its agent: functions called around a run. */
export interface AgentHooks {
  /** The heading of the report. May throw: the run does not start. */
  readonly title?: (workspaceName: string) => string;
  /** Prepares the session before the first turn. Called when the agent works on a folder. May throw: the run has failed. */
  readonly prepare?: (session: Session, folder: HookFolder) => void | Promise<void>;
  /**
   * Called when the run has ended, for any reason. With it the answer of the model is not printed. May throw: the run has
   * failed.
   */
  readonly conclude?: (session: Session, answer: string) => HookConclusion;
}

/** An agent that was loaded. */
export interface LoadedAgent {
  readonly agent: AnyAgent;
  readonly hooks: AgentHooks;
  /** Absolute path of the directory of its module. */
  readonly folder: string;
}

/**
 * Loads an agent: a module that exports one as `default` or as `agent`, and optionally hooks. TypeScript is loaded without
 * a build step. Imports of `weakincentives` in the module resolve to this running library, so that tokens and classes are
 * identical.
 *
 * @throws {UsageError} when there is no such agent, the module cannot be loaded, or it exports no agent.
 */
export async function loadAgent(name: string): Promise<LoadedAgent> {
  const shown = printable(name);
  const { exported, folder } = await loadModule(name, 'agent');
  return { agent: pickAgent(exported, shown), hooks: pickHooks(exported, shown), folder };
}

/** The error for a hook that threw. */
export function hookError(hook: keyof AgentHooks, agentName: string, error: unknown): UsageError {
  const what = `the hook "${hook}" of ${printable(agentName)} failed`;
  return new UsageError(`${what}: ${printable(describeError(error).replace(/\.$/, ''))}.`, { cause: error });
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
    `"${shown}" exports no agent: ${what}; export one made by defineAgent() as default or as "agent".`,
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

/** The return values of the functions are the module's responsibility. */
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
