/** A text that must not leave the machine in an event, and what stands for it. */
export interface Redaction {
  readonly text: string;
  readonly replacement: string;
  /** True for a path: it is replaced only where it stands as a whole, not as the beginning of a longer name. */
  readonly isPath: boolean;
}

/** Where a run takes place. */
export interface HostPlaces {
  /** Absolute path of the workspace folder; undefined without one. */
  readonly workspace: string | undefined;
  /** Absolute path of the folder that the agent's module stands in; undefined for a built-in agent. */
  readonly agentFolder: string | undefined;
  readonly workingFolder: string;
  readonly home: string | undefined;
}

/** Names of environment variables that hold secrets. */
const secretName = /(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;
/** Shorter values stand in ordinary texts too. */
const MIN_SECRET_CHARACTERS = 8;

/** What events must not hold: values of secret environment variables, and the paths of the host that a run knows. */
export function hostRedactions(
  places: HostPlaces,
  variables: Readonly<Record<string, string | undefined>>,
): readonly Redaction[] {
  const secrets = Object.entries(variables).flatMap(([name, value]) =>
    value !== undefined && value.length >= MIN_SECRET_CHARACTERS && secretName.test(name)
      ? [{ text: value, replacement: `<${name}>`, isPath: false }]
      : [],
  );
  const paths = (
    [
      [places.workspace, '<workspace>'],
      [places.agentFolder, '<agent>'],
      [places.workingFolder, '<working folder>'],
      [places.home, '<home>'],
    ] as const
  ).flatMap(([text, replacement]) =>
    // The root of the host says nothing and stands in every path.
    text === undefined || text.length < 2 ? [] : [{ text, replacement, isPath: true }],
  );
  // A longer path first, so that what lies in it is named after the nearest place.
  return [...secrets, ...paths.sort((left, right) => right.text.length - left.text.length)];
}

/** `text` without what must not be in it. */
export function redact(text: string, redactions: readonly Redaction[]): string {
  let result = text;
  for (const redaction of redactions) {
    if (result.includes(redaction.text)) result = replaceIn(result, redaction);
  }
  return result;
}

function replaceIn(text: string, { text: hidden, replacement, isPath }: Redaction): string {
  if (!isPath) return text.replaceAll(hidden, replacement);
  let result = '';
  let from = 0;
  for (let at = text.indexOf(hidden); at >= 0; at = text.indexOf(hidden, at + 1)) {
    if (at < from || !isWhole(text, at, at + hidden.length)) continue;
    result += text.slice(from, at) + replacement;
    from = at + hidden.length;
  }
  return result + text.slice(from);
}

/** Whether a path stands from `start` to `end`: neither the tail of a relative path nor the beginning of a longer name. */
function isWhole(text: string, start: number, end: number): boolean {
  return !/[\p{L}\p{N}._-]/u.test(text.charAt(start - 1)) && !/[\p{L}\p{N}_-]/u.test(text.charAt(end));
}
