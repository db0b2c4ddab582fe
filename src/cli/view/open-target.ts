import { spawn } from 'node:child_process';

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
export const openTarget: OpenTarget = (file) => {
  const { program, args } = openerOf(process.platform, file);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', (error) => {
      const isMissing = 'code' in error && error.code === 'ENOENT';
      resolve(isMissing ? `there is no program ${program}` : `${program} cannot be started`);
    });
    child.once('spawn', () => {
      child.unref();
      resolve(undefined);
    });
  });
};
