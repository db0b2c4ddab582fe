/** Takes the lines of one file in order and finds leftovers of an unfinished merge. */
export interface ConflictMarkerScanner {
  /** The line where a complete conflict began, once its last line was seen. */
  readonly scan: (line: number, text: string) => number | undefined;
}

/** A scanner for one file. Only the three markers in their order count, so that a row of `=` under a title does not. */
export function createConflictMarkerScanner(): ConflictMarkerScanner {
  let begin: number | undefined;
  let isDivided = false;
  return {
    scan(line, text) {
      if (text.startsWith('<<<<<<< ')) {
        begin = line;
        isDivided = false;
      } else if (begin !== undefined && text === '=======') isDivided = true;
      else if (begin !== undefined && isDivided && text.startsWith('>>>>>>> ')) {
        const found = begin;
        begin = undefined;
        return found;
      }
      return undefined;
    },
  };
}
