import type { PermissionOption, PermissionOptionKind } from '@agentclientprotocol/sdk';
import type { Logger } from '../../core/tool/index.ts';
import type { AcpPermissionRequest, AcpPermissions } from './acp-options.ts';

/** What a request for permission is judged by. */
export interface PermissionRules {
  /** Name of our server; it is random, so that no tool of the agent has it. */
  readonly serverName: string;
  /** Names of our tools at present. */
  readonly toolNames: () => readonly string[];
  readonly permissions: AcpPermissions | undefined;
  readonly logger: Logger;
}

const allowing: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const rejecting: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

/**
 * Chooses among the options of a request: our own tools are allowed, since their policies judge each call; what the agent's own tools may do is
 * decided by the caller, and rejected by default. Undefined: the agent offers no option for the decision.
 *
 * A title may be text of the model, such as a command for a shell, so that it counts only when it is exactly how agents name a tool of ours.
 */
export function choosePermission(
  request: AcpPermissionRequest,
  options: readonly PermissionOption[],
  rules: PermissionRules,
): string | undefined {
  const isAllowed = isOurs(request.title, rules) || isPermitted(request, rules);
  const kinds = isAllowed ? allowing : rejecting;
  const chosen = kinds.flatMap((wanted) => options.find((option) => option.kind === wanted) ?? [])[0];
  return chosen?.optionId;
}

function isOurs(title: string, { serverName, toolNames }: PermissionRules): boolean {
  return toolNames().some((name) => namesOf(serverName, name).includes(title));
}

/** How agents name a tool of a server. */
function namesOf(server: string, tool: string): readonly string[] {
  return [
    `${server}_${tool}`,
    `mcp__${server}__${tool}`,
    `${server}/${tool}`,
    `${server}.${tool}`,
    `mcp.${server}.${tool}`,
    `${tool} (${server} MCP Server)`,
  ];
}

function isPermitted(request: AcpPermissionRequest, { logger, permissions }: PermissionRules): boolean {
  try {
    if (permissions?.(request) === true) return true;
    logger.info('A call of a tool of the agent was rejected.', {
      title: request.title,
      kind: request.kind ?? '',
    });
  } catch (error) {
    logger.error('The function permissions failed; the call is rejected.', { title: request.title, error });
  }
  return false;
}
