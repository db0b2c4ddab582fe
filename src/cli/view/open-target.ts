import { Child } from '../../host/index.ts';

/** Opens a file with the program that the system has for it. Resolves with the reason when that cannot be started. */
export type OpenTarget = (file: string) => Promise<string | undefined>;

/** The program that opens a file, with its arguments. None of them is a shell, so that no name of a file is a command. */
export function openerOf(
  platform: NodeJS.Platform,
  file: string,
): { readonly program: string; readonly args: readonly string[] } {
  switch (platform) {
    case 'darwin':
      return { program: 'open', args: [file] };
    case 'win32':
      return { program: 'rundll32', args: ['url.dll,FileProtocolHandler', file] };
    default:
      return { program: 'xdg-open', args: [file] };
  }
}

/** Opens with a process of its own, which goes on when this one has ended. */
export const openTarget: OpenTarget = async (file) => {
  const { program, args } = openerOf(process.platform, file);
  const stdio = ['ignore', 'ignore', 'ignore'] as const;
  const child = new Child({ command: program, args }, { env: process.env, stdio, group: 'kept' });
  try {
    await child.started();
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? `there is no program ${program}` : `${program} cannot be started`;
  }
  child.hold(false);
  return undefined;
};
