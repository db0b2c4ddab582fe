import type { CliEnvironment } from '../process/environment.ts';
import { createTextStyle } from '../process/text-style.ts';
import type { Finding } from './finding.ts';
import type { Machine } from './machine.ts';

/** What is printed to. */
export function checkTerminal({ stdout, variables }: Pick<CliEnvironment, 'stdout' | 'variables'>): Finding {
  const subject = 'terminal';
  if (!stdout.isTerminal) return { status: 'ok', subject, about: 'none: plain text' };
  const style = createTextStyle(stdout, variables);
  const color = style('good', 'x') === 'x' ? 'no color' : 'color';
  const locale = variables['LC_ALL'] || variables['LC_CTYPE'] || variables['LANG'] || '';
  const isUtf8 = locale === '' || /utf-?8/i.test(locale);
  const about = [`${stdout.columns ?? 'unknown'} columns`, color, isUtf8 ? 'UTF-8' : 'no UTF-8'].join(', ');
  return isUtf8
    ? { status: 'ok', subject, about }
    : { status: 'warning', subject, about, repair: 'export LC_ALL=C.UTF-8' };
}

/** What does not hold on a system. @returns undefined: all holds. */
export function checkPlatform({ platform }: Pick<Machine, 'platform'>): Finding | undefined {
  if (platform === 'linux') return undefined;
  const names: Readonly<Record<string, string>> = { darwin: 'macOS', win32: 'Windows' };
  const subject = names[platform] ?? platform;
  const about =
    platform === 'win32'
      ? 'not tested: no bubblewrap, no modes of files, no process groups'
      : 'for development: no bubblewrap, no overlays';
  return { status: 'warning', subject, about };
}
