import { counted, formatNumber } from '../../core/internal/index.ts';

/** What is said of a window after the end of a file. @param name as it is shown. */
export function noLinesAfter(name: string, id: string, lines: number, offset: number): string {
  return `${name} in commit ${id} has ${counted(lines, 'line')}; there are none after an offset of ${formatNumber(offset)}.`;
}

/** The note on a line that is longer than a result. */
export function cutNote(line: number, characters = 0): string {
  return `; line ${line} has ${counted(characters, 'character')} and is cut`;
}
