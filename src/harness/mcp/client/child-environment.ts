import { env, platform } from 'node:process';

/** What programs need to find others, their user's folders, and how to write texts and times. Values of other variables may be secrets. */
const passedOn: readonly string[] =
  platform === 'win32'
    ? ['PATH', 'PATHEXT', 'SYSTEMROOT', 'COMSPEC', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA']
    : ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

/**
 * The whole environment of a child: a few variables of this process, and those that are named for it.
 *
 * @see docs/spec/mcp.md §8
 */
export function childEnvironment(named: Readonly<Record<string, string>> = {}): Record<string, string> {
  const own = passedOn.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), ...named };
}
