import type { AnyAgent } from '../../core/evaluation/index.ts';
import { orUsageError, UsageError } from '../process/errors.ts';
import { loadModule } from '../process/load-module.ts';
import { printable } from '../process/plain-text.ts';
import { nearestAgent } from './nearest-agent.ts';

/** An agent that was loaded. */
export interface LoadedAgent {
  readonly agent: AnyAgent;
  /** Absolute path of the directory of its module. */
  readonly folder: string;
}

/**
 * Loads an agent: a module that exports one as `default` or as `agent`. TypeScript is loaded without
 * a build step. Imports of `weakincentives` in the module resolve to this running library, so that tokens and classes are
 * identical.
 *
 * @param cacheFolder as for {@link loadModule}.
 * @throws {UsageError} when there is no such agent, the module cannot be loaded, it exports no agent, or `winkHooks`, which are options of the agent now.
 */
export async function loadAgent(name: string, cacheFolder?: string): Promise<LoadedAgent> {
  const shown = printable(name);
  const { exported, folder } = await orUsageError(
    () => loadModule(name, 'agent', cacheFolder),
    (error: UsageError) => `${error.message}${questionAbout(name)}`,
    { isInstance: (error): error is UsageError => error instanceof UsageError },
  );
  const agent = pickAgent(exported, shown);
  refuseHooks(exported, shown);
  return { agent, folder };
}

/** A question that ends the message about a file that is not there. */
function questionAbout(name: string): string {
  const nearest = nearestAgent(name);
  return nearest === undefined ? '' : ` Did you mean "${printable(nearest)}"?`;
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

/** Hooks of a module before 0.2.0, which nothing would call any more. */
function refuseHooks(exported: unknown, shown: string): void {
  if (!isObjectOrFunction(exported) || exported['winkHooks'] === undefined) return;
  throw new UsageError(
    `"${shown}" exports "winkHooks", which is no longer called: give prepare and conclude to defineAgent(); the heading is the name of the agent.`,
  );
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
