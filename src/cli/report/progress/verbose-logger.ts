import type { Logger } from '../../../core/tool/index.ts';
import type { OutputStream } from '../../process/environment.ts';
import { printable } from '../../process/plain-text.ts';

/** A logger for diagnosis: one line per message, followed by its fields as JSON. */
export function verboseLogger(stream: OutputStream): Logger {
  const write =
    (level: string) =>
    (message: string, fields?: Record<string, unknown>): void => {
      stream.write(
        `${level}: ${printable(message)}${fields === undefined ? '' : ` ${fieldsText(fields)}`}\n`,
      );
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function fieldsText(fields: Record<string, unknown>): string {
  try {
    return printable(JSON.stringify(fields));
  } catch {
    return '(fields are not JSON)';
  }
}
