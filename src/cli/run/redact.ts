import { type Redaction, redactSecrets } from '../../runtime/index.ts';

/** Where a run takes place. */
export interface HostPlaces {
  /** Absolute path of the workspace folder; undefined without one. */
  readonly workspace: string | undefined;
  /** Absolute path of the folder that the agent's module is in; undefined before one is known. */
  readonly agentFolder: string | undefined;
  readonly workingFolder: string;
  readonly home: string | undefined;
}

/** Names of environment variables that hold secrets; a token may say behind that word what it is for. */
const secretName = /(?:^|_)(?:(?:KEY|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$|TOKEN(?:_|$))/i;
/** Shorter values stand in ordinary texts too. */
const minSecretCharacters = 8;

/** Takes out of a text values of secret environment variables, and the paths of the host that a run knows. */
export function hostRedact(
  places: HostPlaces,
  variables: Readonly<Record<string, string | undefined>>,
): Redaction {
  const hideSecrets = redactSecrets(
    Object.fromEntries(
      Object.entries(variables).filter(
        ([name, value = '']) => value.length >= minSecretCharacters && secretName.test(name),
      ),
    ),
  );
  const paths = (
    [
      [places.workspace, '<workspace>'],
      [places.agentFolder, '<agent>'],
      [places.workingFolder, '<working folder>'],
      [places.home, '<home>'],
    ] as const
  ).flatMap(([path, replacement]) =>
    // The root of the host says nothing and stands in every path.
    path === undefined || path.length < 2 ? [] : [{ path, replacement }],
  );
  // A longer path first, so that what lies in it is named after the nearest place.
  const nearestFirst = paths.sort((left, right) => right.path.length - left.path.length);
  return Object.assign((text: string) => nearestFirst.reduce(hidePath, hideSecrets(text)), {
    pending: (text: string) =>
      Math.max(
        hideSecrets.pending?.(text) ?? text.length,
        ...nearestFirst.map(({ path }) => beginningAtEnd(text, path)),
      ),
  });
}

/** Characters at the end of a text that are a path or its beginning: only what comes next tells whether it stands as a whole. */
function beginningAtEnd(text: string, path: string): number {
  let length = Math.min(text.length, path.length);
  while (length > 0 && !text.endsWith(path.slice(0, length))) length -= 1;
  return length;
}

/** Replaces a path where it stands as a whole. */
function hidePath(
  text: string,
  { path, replacement }: { readonly path: string; readonly replacement: string },
): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    if (at < from || !isWhole(text, at, at + path.length)) continue;
    result += text.slice(from, at) + replacement;
    from = at + path.length;
  }
  return result + text.slice(from);
}

/** Whether a path stands from `start` to `end`: neither the tail of a relative path nor the beginning of a longer name. */
function isWhole(text: string, start: number, end: number): boolean {
  return !/[\p{L}\p{N}._-]/u.test(text.charAt(start - 1)) && !/[\p{L}\p{N}_-]/u.test(text.charAt(end));
}
