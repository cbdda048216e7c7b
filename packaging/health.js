// Asks the service of a data folder for its state. The exit code is 0 if it is ready, else 1.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Less than the time that Docker and systemd give a check. */
const PATIENCE_MS = 4000;

try {
  const note = readFileSync(join(process.env.GROUNDSWELL_DATA || './data', 'serve.json'), 'utf8');
  const { port } = JSON.parse(note);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal });
  process.stdout.write(`${await answer.text()}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`The service does not answer: ${error.message}\n`);
  process.exitCode = 1;
}
