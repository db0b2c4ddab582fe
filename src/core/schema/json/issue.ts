import { cutAfter, shorten } from '../../internal/index.ts';
/** One thing that is wrong with a value. */
export interface SchemaIssue {
  /** Keys and indexes that lead to the place, empty for the value itself. */
  readonly path: readonly (string | number)[];
  /** What is wrong, what was received and what is allowed, in one line and bounded in length. */
  readonly message: string;
}

/** Result of a validation. */
export type ParseOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** At most this many issues of one value are kept and described. */
export const maxIssues = 20;
const maxMessageLength = 600;
const maxPathLength = 200;
const plainKey = /^[A-Za-z_$][\w$-]*$/;

/** Writes a path as `items[0].name`; keys that are not plain identifiers are quoted. Empty for the value itself. */
export function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!plainKey.test(step)) text += `[${JSON.stringify(shorten(step, 80))}]`;
    else text += text === '' ? step : `.${step}`;
    if (text.length > maxPathLength) return cutAfter(text, maxPathLength);
  }
  return text;
}

/**
 * Issues as text for a model or a person: one line each, `path.to[0]: message`, at most 20 lines, then how many more
 * there are. The text is bounded whatever the value was.
 */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const lines = issues.slice(0, maxIssues).map(describeIssue);
  if (issues.length > maxIssues) lines.push(`… and ${issues.length - maxIssues} more`);
  return lines.join('\n');
}

function describeIssue(issue: SchemaIssue): string {
  const message = shorten(issue.message.replaceAll(/\s*[\r\n]+\s*/g, ' '), maxMessageLength);
  return issue.path.length === 0 ? message : `${formatPath(issue.path)}: ${message}`;
}
