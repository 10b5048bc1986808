# make install: the library, its headers, the program, and what finds them: klingel.pc and find_package(klingel).

# What a program must link besides: the library's own list, as flags that do not name this build's folders.
function(kl_link_flags target out)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    set(flags "")
    foreach(item ${libraries})
        if(item MATCHES "^PkgConfig::(.*)$")
            list(APPEND flags ${${CMAKE_MATCH_1}_LINK_LIBRARIES})
        elseif(item STREQUAL "Threads::Threads")
            list(APPEND flags ${CMAKE_THREAD_LIBS_INIT})
        elseif(item MATCHES "^\\$<")
            continue() # only while building
        elseif(item MATCHES "^(/|-)")
            list(APPEND flags ${item})
        else()
            list(APPEND flags -l${item})
        endif()
    endforeach()
    set(plain "")
    foreach(item ${flags})
        get_filename_component(folder ${item} DIRECTORY)
        get_filename_component(file ${item} NAME)
        if(item MATCHES "^/" AND file MATCHES "^lib(.*)\\.(so|a)$")
            set(name ${CMAKE_MATCH_1})
            if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
                list(APPEND plain -L${folder})
            endif()
            list(APPEND plain -l${name})
        else()
            list(APPEND plain ${item})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES plain)
    set(${out} "${plain}" PARENT_SCOPE)
endfunction()

get_target_property(KL_LIBRARY_TYPE klingel TYPE)
set(KL_LINK_FLAGS "")
if(KL_LIBRARY_TYPE STREQUAL STATIC_LIBRARY)
    kl_link_flags(klingel KL_LINK_FLAGS) # a shared library remembers them itself
endif()
list(JOIN KL_LINK_FLAGS " " KL_LINK_LINE)

set(KL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/klingel)
include(CMakePackageConfigHelpers)
configure_file(cmake/klingel.pc.in klingel.pc @ONLY)
configure_package_config_file(cmake/klingel-config.cmake.in klingel-config.cmake INSTALL_DESTINATION ${KL_PACKAGE_DIR}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(klingel-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS klingel LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT library)
install(DIRECTORY include/klingel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/klingel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/klingel-config.cmake ${CMAKE_BINARY_DIR}/klingel-config-version.cmake
    DESTINATION ${KL_PACKAGE_DIR} COMPONENT library)
foreach(program klingel-cli klingel-fe-mpi)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
    endif()
endforeach()
# What the shells look for.
install(FILES docs/man/klingel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
install(FILES completions/klingel.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME klingel
    COMPONENT programs)
install(FILES completions/_klingel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT programs)
install(FILES completions/klingel.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT programs)
