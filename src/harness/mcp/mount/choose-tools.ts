import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { describeError, McpError, PromptValidationError } from '../../../core/error/index.ts';
import {
  formatNumber,
  nearestNames,
  present,
  quotedList,
  quoteText,
  shorten,
  startOf,
} from '../../../core/internal/index.ts';
import type { AnyTool } from '../../../core/tool/index.ts';
import { foreignText } from '../client/connect-error.ts';
import type {
  McpListedTool,
  McpSectionOptions,
  McpSkippedTool,
  McpToolEffects,
  McpUncheckedPattern,
} from './mount-options.ts';
import { pinOf, type RemoteTool, readRemoteTool } from './remote-tool.ts';

/** Which tools of a list are mounted, and as what. */
type ChoiceRules = Pick<
  McpSectionOptions,
  'effects' | 'idempotent' | 'include' | 'key' | 'prefix' | 'trustAnnotations'
>;

/** How a tool of a server is mounted. */
export interface MountedAs {
  /** Its name in the prompt. */
  readonly name: string;
  readonly effects: McpToolEffects;
  readonly idempotent: boolean;
}

/** A tool of a server that is offered to the model. */
interface ChosenTool extends MountedAs {
  readonly remote: RemoteTool;
  readonly tool: AnyTool;
  /** The patterns of its schemas that nothing is checked with. */
  readonly unchecked: readonly McpUncheckedPattern[];
}

/** What a tool is made of. */
export type BuiltTool = Pick<ChosenTool, 'tool' | 'unchecked'>;

/** The tools of a server that are offered. */
export interface ToolSelection {
  readonly tools: readonly ChosenTool[];
  readonly skipped: readonly McpSkippedTool[];
  readonly pin: string;
}

const maxNameLength = 64;
/** More would leave a model little room for anything else. */
const maxTools = 128;
/** Nothing in a longer list could be chosen by a person. */
const maxListed = 10_000;
/** The protocol asks for at most 128. */
const maxForeignNameLength = 256;
/** Most tools that are left out which an error names. */
const maxNamedReasons = 5;

/**
 * Chooses from the list of a server.
 *
 * @param build makes the tool; may throw: the tool is skipped, or refused when it is named.
 * @throws {PromptValidationError} for a name in the options that the server does not have, a tool that is named and cannot be offered, and two tools with one name.
 * @throws {McpError} `mcp-tools-invalid` for no tools or too many, and what a function of the caller throws.
 */
export async function chooseTools(
  offered: readonly McpTool[],
  rules: ChoiceRules,
  build: (remote: RemoteTool, as: MountedAs) => Promise<BuiltTool>,
): Promise<ToolSelection> {
  if (offered.length > maxListed) throw tooMany(rules, offered.length, maxListed);
  const listed = offered.filter(({ name }) => name.length <= maxForeignNameLength);
  const names = listed.map(({ name }) => name);
  for (const name of Object.keys(rules.effects ?? {})) assertListed(rules, 'effects', name, names);
  for (const name of rules.idempotent ?? []) assertListed(rules, 'idempotent', name, names);
  const included = include(listed, rules, names);
  if (included.length > maxTools) throw tooMany(rules, included.length, maxTools);
  const tools: ChosenTool[] = [];
  const skipped: McpSkippedTool[] = offered
    .filter(({ name }) => name.length > maxForeignNameLength)
    .map(({ name }) => ({
      name: short(name),
      reason: `its name has more than ${maxForeignNameLength} characters`,
    }));
  const taken = new Map<string, string>();
  for (const definition of included) {
    const as = mountedAs(definition, rules);
    const other = taken.get(as.name);
    if (other !== undefined) throw collision(rules, as.name, other, definition.name);
    taken.set(as.name, definition.name);
    try {
      const remote = readRemoteTool(definition);
      tools.push({ ...as, remote, ...(await build(remote, as)) });
    } catch (error) {
      const reason = describeError(error);
      if (isNamed(definition.name, rules)) {
        throw refuse(
          'include',
          `The tool ${shown(definition.name)} of the MCP server "${rules.key}" cannot be offered: ${reason}`,
          error,
        );
      }
      skipped.push({ name: definition.name, reason });
    }
  }
  if (tools.length === 0) throw noTool(rules, skipped);
  return { tools, skipped, pin: pinOf(tools.map(({ remote }) => remote)) };
}

function tooMany({ key }: ChoiceRules, count: number, most: number): McpError {
  return new McpError(
    'mcp-tools-invalid',
    `The MCP server "${key}" offers ${formatNumber(count)} tools, and ${formatNumber(most)} may be ${most === maxTools ? 'mounted. Choose some with include' : 'listed'}.`,
    { details: { server: key, tools: count } },
  );
}

/** The error names the reasons: there is no section that could. */
function noTool({ key }: ChoiceRules, skipped: readonly McpSkippedTool[]): McpError {
  const named = skipped
    .slice(0, maxNamedReasons)
    .map(({ name, reason }) => ` ${shown(name)}: ${foreignText(reason)}.`);
  const rest = skipped.length - named.length;
  return new McpError(
    'mcp-tools-invalid',
    `The MCP server "${key}" offers no tool that can be mounted.${named.join('')}${rest > 0 ? ` And ${rest} more.` : ''}`,
    { details: { server: key, skipped: skipped.length } },
  );
}

/** What of a definition a function of the caller gets. */
function listedTool({ annotations, description, name, title }: McpTool): McpListedTool {
  return {
    name,
    ...present({ title, description, annotations }),
  };
}

function include(
  listed: readonly McpTool[],
  rules: ChoiceRules,
  names: readonly string[],
): readonly McpTool[] {
  const { include: wanted } = rules;
  if (wanted === undefined) return listed;
  if (typeof wanted === 'function') return listed.filter((tool) => wanted(listedTool(tool)));
  for (const pattern of wanted) assertListed(rules, 'include', pattern, names);
  return listed.filter(({ name }) => wanted.some((pattern) => fitsPattern(name, pattern)));
}

/** Whether the tool is named in full: then it must be there. */
function isNamed(name: string, { include: wanted }: ChoiceRules): boolean {
  return Array.isArray(wanted) && wanted.includes(name);
}

/** How a tool is mounted that the server offers. */
export function mountedAs({ annotations = {}, name }: McpTool, rules: ChoiceRules): MountedAs {
  const { effects = {}, idempotent = [], prefix = '', trustAnnotations = false } = rules;
  const said = Object.hasOwn(effects, name) ? effects[name] : undefined;
  const isRead = trustAnnotations && annotations.readOnlyHint === true;
  return {
    name: startOf(`${prefix}${name.toLowerCase().replace(/[^a-z0-9_-]/g, '_')}`, maxNameLength),
    effects: said ?? (isRead ? 'read' : 'external'),
    idempotent: idempotent.includes(name) || (trustAnnotations && annotations.idempotentHint === true),
  };
}

function assertListed(rules: ChoiceRules, option: string, pattern: string, names: readonly string[]): void {
  const isPattern = option === 'include';
  if (names.some((name) => (isPattern ? fitsPattern(name, pattern) : name === pattern))) return;
  const near = nearestNames(pattern, names);
  const known = near.length > 0 ? near : names.slice(0, 20);
  const hint = near.length > 0 ? 'Near ones are' : 'It has';
  throw refuse(
    option,
    `The MCP server "${rules.key}" has no tool ${shown(pattern)}, which ${option} names. ${hint} ${quotedList(known.map(short)) || 'none'}`,
  );
}

function collision({ key }: ChoiceRules, name: string, first: string, second: string): PromptValidationError {
  return refuse(
    'include',
    `The tools ${shown(first)} and ${shown(second)} of the MCP server "${key}" would both be named "${name}" here. Leave one of them out with include`,
  );
}

function refuse(option: string, message: string, cause?: unknown): PromptValidationError {
  return new PromptValidationError(`${message.replace(/\.$/, '')}.`, { cause, details: { option } });
}

const shown = (name: string): string => quoteText(short(name));
const short = (name: string): string => shorten(name, 80);

/** Whether a name fits a pattern in which `*` represents any characters, also none. Linear in both. */
export function fitsPattern(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === pattern;
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
