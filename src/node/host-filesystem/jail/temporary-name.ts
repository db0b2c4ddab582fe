const temporaryName = /^\.wink-[0-9a-f-]{36}(-[0-9a-z]+)?\.tmp$/;

/** True for the names of files that exist only while changes are being written. They are in no listing. */
export function isTemporaryName(name: string): boolean {
  return name.startsWith('.wink-') && temporaryName.test(name);
}

/** A name for the part `part` of the commit `id`. */
export function temporaryNameOf(id: string, part: string): string {
  return `.wink-${id}-${part}.tmp`;
}
