import { sellPears } from '../agent.mjs';

// Rendered while the project is built.
export default async function Page() {
  return <p>{await sellPears()}</p>;
}
