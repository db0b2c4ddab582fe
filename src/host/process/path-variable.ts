/** The `PATH` of this process, to find programs. */
export function pathVariable(): Readonly<Record<string, string>> {
  const path = process.env['PATH'];
  return path === undefined ? {} : { PATH: path };
}
