import type { PermissionOption, PermissionOptionKind } from '@agentclientprotocol/sdk';
import { isRecord } from '../../core/internal/index.ts';
import type { ModelTool } from '../../core/runtime/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import type { AcpPermissionRequest, AcpPermissions } from './acp-options.ts';
import type { DescribedCall } from './announced-calls.ts';

/** What a request for permission is judged by. */
export interface PermissionRules {
  /** Name of our server; it is random, so that no tool of the agent has it. */
  readonly serverName: string;
  /** Our tools at present. */
  readonly tools: readonly ModelTool[];
  readonly permissions: AcpPermissions | undefined;
  readonly logger: Logger;
}

const allowing: readonly PermissionOptionKind[] = ['allow_once', 'allow_always'];
const rejecting: readonly PermissionOptionKind[] = ['reject_once', 'reject_always'];

/**
 * Chooses among the options of a request: our own tools are allowed, since their policies judge each call; what the agent's own tools may do is
 * decided by the caller, and rejected by default. Undefined: the agent offers no option for the decision.
 *
 * A title may be text of the model, such as a command for a shell, so it only says which tool of ours a call may be of. What the agent itself has said of the call, then or
 * before, must say so, too: its arguments name our server and the tool, or its kind is `other` and it has no arguments but those of the tool.
 */
export function choosePermission(
  call: DescribedCall,
  options: readonly PermissionOption[],
  rules: PermissionRules,
): string | undefined {
  const { kind, rawInput, title } = call;
  const isAllowed = isOurs(call, rules) || isPermitted({ title, kind, rawInput }, rules);
  const kinds = isAllowed ? allowing : rejecting;
  const chosen = kinds.flatMap((wanted) => options.find((option) => option.kind === wanted) ?? [])[0];
  return chosen?.optionId;
}

function isOurs(call: DescribedCall, { serverName, tools }: PermissionRules): boolean {
  return tools.some(
    (tool) =>
      namesOf(serverName, tool.name).includes(call.title) &&
      (isAddressed(call, serverName, tool.name) || isOfOtherKind(call, tool)),
  );
}

/** What such a call consists of, apart from which nothing may be said of it. */
const addressNames: readonly string[] = ['server', 'tool', 'arguments'];

/** Whether the arguments are those of a call of a server, as Codex describes it, whatever its kind. */
function isAddressed({ inputNames, rawInput }: DescribedCall, serverName: string, toolName: string): boolean {
  if (!isRecord(rawInput) || inputNames === undefined) return false;
  const isAddress = [...inputNames].every((name) => addressNames.includes(name));
  return isAddress && rawInput['server'] === serverName && rawInput['tool'] === toolName;
}

/** Whether nothing that the agent has said is of a tool of its own. */
function isOfOtherKind({ inputNames, kinds }: DescribedCall, { inputSchema }: ModelTool): boolean {
  if (inputNames === undefined || kinds.size === 0) return false;
  const { additionalProperties, properties } = inputSchema;
  const isParameter = (name: string): boolean =>
    additionalProperties !== false || (isRecord(properties) && Object.hasOwn(properties, name));
  return [...kinds].every((kind) => kind === 'other') && [...inputNames].every(isParameter);
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
