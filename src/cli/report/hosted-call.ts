import { counted } from '../../internal/index.ts';
import type { Citation, HostedToolOutput } from '../../tool/index.ts';
import { callSubject } from './call-record.ts';

/** Members of outputs that say what a hosted tool was to do, as far as a kind has them. */
const subjectNames = ['queries', 'url', 'pattern', 'name', 'code', 'revisedPrompt'];
/** Members that are lists of what it came to, and what one of them is. */
const findings = [
  ['sources', 'source'],
  ['results', 'result'],
  ['files', 'file'],
] as const;

/** What a hosted tool was to do, short: what was searched for, a page, a remote tool with its arguments. */
export function hostedSubject(output: HostedToolOutput): string {
  const members = membersOf(output);
  const parts = subjectNames.flatMap((name) => {
    const value = members.get(name);
    return typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter(isText) : [];
  });
  // A remote tool has arguments as a tool of the prompt has; what is no object has no subject.
  return [...parts, callSubject(members.get('arguments') as Parameters<typeof callSubject>[0])]
    .filter((part) => part !== '')
    .join(' ');
}

/** What it came to: `5 sources, 2 citations`, an error of the remote tool; empty where there is nothing to say. */
export function hostedFindings(output: HostedToolOutput, citations: readonly Citation[]): string {
  const members = membersOf(output);
  const found = findings.flatMap(([name, what]) => {
    const value = members.get(name);
    return Array.isArray(value) && value.length > 0 ? [counted(value.length, what)] : [];
  });
  const exitCode = members.get('exitCode');
  const error = members.get('error');
  return [
    ...(output.errorCode === undefined ? [] : [output.errorCode]),
    ...(typeof error === 'string' ? [error] : []),
    ...(typeof exitCode === 'number' && exitCode !== 0 ? [`exit code ${exitCode}`] : []),
    ...found,
    ...(citations.length === 0 ? [] : [counted(citations.length, 'citation')]),
  ].join(', ');
}

function membersOf(output: HostedToolOutput): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(output));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
