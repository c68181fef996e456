// The peer of ./dev bench control: go-control-plane's linear cache behind its own ADS server, driven
// line by line as bench/control/line_protocol.h says.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"

	cluster "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpoint "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	discovery "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	"github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	"github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	"github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
)

// As NameOf in bench/control/served_resources.cc.
func nameOf(number int) string {
	return fmt.Sprintf("cluster-%d.prod.example.com", number)
}

func makeCluster(number, revision, size int) *cluster.Cluster {
	fields := map[string]*structpb.Value{}
	message := &cluster.Cluster{
		Name:                 nameOf(number),
		ClusterDiscoveryType: &cluster.Cluster_Type{Type: cluster.Cluster_EDS},
		ConnectTimeout:       &durationpb.Duration{Seconds: 5, Nanos: int32(1_000_000 + revision)},
		EdsClusterConfig: &cluster.Cluster_EdsClusterConfig{
			EdsConfig: &core.ConfigSource{
				ConfigSourceSpecifier: &core.ConfigSource_Ads{Ads: &core.AggregatedConfigSource{}}},
			ServiceName: nameOf(number),
		},
		Metadata: &core.Metadata{FilterMetadata: map[string]*structpb.Struct{
			"com.example.team": {Fields: fields}}},
	}
	for i := 0; proto.Size(message) < size; i++ {
		fields[fmt.Sprintf("label-%d", i)] = structpb.NewStringValue(fmt.Sprintf("value of label %d", i))
	}
	return message
}

func makeEndpoints(number, revision, size int) *endpoint.ClusterLoadAssignment {
	locality := &endpoint.LocalityLbEndpoints{}
	message := &endpoint.ClusterLoadAssignment{
		ClusterName: nameOf(number),
		Endpoints:   []*endpoint.LocalityLbEndpoints{locality},
	}
	for i := 0; proto.Size(message) < size; i++ {
		locality.LbEndpoints = append(locality.LbEndpoints, &endpoint.LbEndpoint{
			HostIdentifier: &endpoint.LbEndpoint_Endpoint{Endpoint: &endpoint.Endpoint{
				Address: &core.Address{Address: &core.Address_SocketAddress{
					SocketAddress: &core.SocketAddress{
						Address: fmt.Sprintf("10.0.0.%d", 100+i),
						PortSpecifier: &core.SocketAddress_PortValue{
							PortValue: uint32(10_000 + revision%10_000)}}}}}}})
	}
	return message
}

// What is served: one type at a time, because a run of the bench has only one.
type served struct {
	caches   map[string]*cache.LinearCache
	kind     string
	count    int
	size     int
	revision int
	// What the next commits change, made before anybody measures.
	prepared []map[string]types.Resource
}

func (s *served) make(number int) types.Resource {
	if s.kind == "clusters" {
		return makeCluster(number, s.revision, s.size)
	}
	return makeEndpoints(number, s.revision, s.size)
}

func (s *served) prepare(what string, times int) {
	for ; times > 0; times-- {
		s.revision++
		change := map[string]types.Resource{}
		if what == "all" {
			for i := 0; i < s.count; i++ {
				change[nameOf(i)] = s.make(i)
			}
		} else {
			number, _ := strconv.Atoi(what)
			change[nameOf(number)] = s.make(number)
		}
		s.prepared = append(s.prepared, change)
	}
}

func (s *served) commit() error {
	if len(s.prepared) == 0 {
		return errors.New("nothing is prepared")
	}
	change := s.prepared[0]
	s.prepared = s.prepared[1:]
	return s.caches[s.kind].UpdateResources(change, nil)
}

func residentKb(field string) string {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if rest, found := strings.CutPrefix(line, field+":"); found {
			return strings.TrimSpace(strings.TrimSuffix(rest, "kB"))
		}
	}
	return "0"
}

func cpu() string {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return fmt.Sprintf("cpu %d", (usage.Utime.Sec+usage.Stime.Sec)*1_000_000+usage.Utime.Usec+usage.Stime.Usec)
}

func (s *served) answer(line string) string {
	words := strings.Fields(line)
	var err error
	switch {
	case len(words) == 4 && words[0] == "load" && s.caches[words[1]] != nil:
		s.kind = words[1]
		s.count, _ = strconv.Atoi(words[2])
		s.size, _ = strconv.Atoi(words[3])
		s.prepare("all", 1)
		err = s.commit()
	case len(words) == 3 && words[0] == "prepare":
		times, _ := strconv.Atoi(words[2])
		s.prepare(words[1], times)
	case len(words) == 1 && words[0] == "commit":
		err = s.commit()
	case len(words) == 1 && words[0] == "cpu":
		return cpu()
	case len(words) == 1 && words[0] == "memory":
		return fmt.Sprintf("memory %s %s", residentKb("VmRSS"), residentKb("VmHWM"))
	case len(words) == 1 && words[0] == "trim":
		debug.FreeOSMemory()
	default:
		return "unknown: " + line
	}
	if err != nil {
		return err.Error()
	}
	return "ok"
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	what := &served{caches: map[string]*cache.LinearCache{
		"clusters":  cache.NewLinearCache(resource.ClusterType),
		"endpoints": cache.NewLinearCache(resource.EndpointType),
	}}
	byType := &cache.MuxCache{
		Classify:      func(request *cache.Request) string { return request.GetTypeUrl() },
		ClassifyDelta: func(request *cache.DeltaRequest) string { return request.GetTypeUrl() },
		Caches: map[string]cache.Cache{
			resource.ClusterType:  what.caches["clusters"],
			resource.EndpointType: what.caches["endpoints"],
		},
	}
	grpcServer := grpc.NewServer(grpc.MaxConcurrentStreams(math.MaxUint32))
	discovery.RegisterAggregatedDiscoveryServiceServer(
		grpcServer, server.NewServer(context.Background(), byType, nil))
	go func() { _ = grpcServer.Serve(listener) }()

	fmt.Printf("listening %d\n", listener.Addr().(*net.TCPAddr).Port)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() && lines.Text() != "quit" {
		fmt.Println(what.answer(lines.Text()))
	}
}
