import { choosePort } from '@popsvc/embedded/supervisor';

/** A process that chooses the number of ports in its argument, prints them as JSON and runs until it is killed. */
const ports = [];
for (let chosen = 0; chosen < Number(process.argv[2]); chosen += 1) ports.push(await choosePort(0, 'SOME_PORT'));
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.stdin.resume();
