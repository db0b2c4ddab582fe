import { type BoundParams, bindParams as bind } from '../../agent/index.ts';
import { PromptValidationError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { orUsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/**
 * The params of a run, as `runAgent()` reads them.
 * @throws {UsageError} that names the section with missing or invalid params, or the unknown param.
 */
export function bindParams(agent: AnyAgent, given: JsonObject, workspaceName: string): Promise<BoundParams> {
  return orUsageError(
    () => bind(agent, given, workspaceName),
    ({ message }) => printable(message.replace(/^The/, 'the')),
    PromptValidationError,
  );
}
