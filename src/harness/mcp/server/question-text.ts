import { cutAfter, showName } from '../../../core/internal/index.ts';
import type { ApprovalRequest } from '../../../core/runtime/index.ts';

const maxParamsCharacters = 2_000;
const maxNamedPaths = 20;

/** A question of a policy for a person who reads it in the client. */
export function questionText({ changes, params, policy, reason, toolName }: ApprovalRequest): string {
  const paths = changes?.map(({ kind, path }) => `${kind}: ${showName(path)}`) ?? [];
  const rest = paths.length - maxNamedPaths;
  return [
    `The policy "${policy}" asks about a call of "${toolName}": ${reason}`,
    `Arguments: ${cutAfter(JSON.stringify(params), maxParamsCharacters)}`,
    ...(paths.length === 0 ? [] : ['Changes that wait:', ...paths.slice(0, maxNamedPaths)]),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('\n');
}
