// graphile-worker's fastest settings, for everything of ./dev bench that runs it.
'use strict';
const { Logger } = require('graphile-worker');
const { CONCURRENT } = require('./peer.js');

module.exports = (connectionString, connections = CONCURRENT + 1) => ({
  worker: {
    connectionString,
    concurrentJobs: CONCURRENT,
    maxPoolSize: connections,
    localQueue: { size: 500 },
    // 0: everything that is done within a turn of the event loop is completed by one statement.
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    // Silent: the default logger writes a line for each job.
    logger: new Logger(() => () => {}),
  },
});
