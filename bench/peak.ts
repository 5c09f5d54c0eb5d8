process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(`peak ${process.resourceUsage().maxRSS}\ncpu ${user + system}\n`);
});
