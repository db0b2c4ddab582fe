import { isRecord } from '../../core/internal/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import { loadModule } from '../agent/load-module.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/**
 * The rules of a module: a list that it exports as `default` or as `policies`.
 *
 * @throws {UsageError} when there is no such module, it cannot be loaded, or it exports no list of policies.
 */
export async function loadPolicies(name: string): Promise<readonly ToolPolicy[]> {
  const { exported } = await loadModule(name, 'policy file');
  const found = [exportOf(exported, 'default'), exportOf(exported, 'policies')].find(isPolicyList);
  if (found !== undefined) return found;
  throw new UsageError(
    `"${printable(name)}" exports no list of policies, each with a name and a check, as default or as "policies".`,
  );
}

function exportOf(exported: unknown, name: string): unknown {
  return typeof exported === 'object' && exported !== null ? Reflect.get(exported, name) : undefined;
}

/** The template checks the rest. */
function isPolicyList(value: unknown): value is readonly ToolPolicy[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((policy) => isRecord(policy) && typeof policy['name'] === 'string')
  );
}
